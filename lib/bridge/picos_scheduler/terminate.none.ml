let exn = Dromos_fiber.Cancel.Cancelled
