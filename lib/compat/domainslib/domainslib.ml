module Task = Dromos_compat_task
module Chan = Dromos_compat_chan
