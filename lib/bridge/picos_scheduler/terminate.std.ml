let exn = Picos_std_structured.Control.Terminate
