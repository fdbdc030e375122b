#pragma once
#define BPF_PROG(name, args...) name(args)
