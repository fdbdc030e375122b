type _ Effect.t += Suspend : int Effect.t | Other : int Effect.t
