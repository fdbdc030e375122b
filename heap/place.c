/* An empty file: dune passes the folder of a library with C code to the linker. */
typedef int dromos_hh_place;
