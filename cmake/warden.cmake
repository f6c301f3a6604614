# The warden is a program of its own, small and static, carried inside the library (src/deft/os/warden_image.S).
# It is never sanitized: it must start in a fraction of a millisecond and has no runtime to report to.
#
# For the same reason its C library is musl: the program has 95 kB then. With glibc it has 1 MB, and that is copied and
# mapped while the first call of a session wants the processor. It sees the headers of musl, of the kernel, and those of
# the C++ library that need no more; nothing of that library is linked.

set(header_places /usr/lib/musl/include /usr/local/musl/include)
set(library_places /usr/lib/musl/lib /usr/local/musl/lib)
if(CMAKE_LIBRARY_ARCHITECTURE)  # Debian's; elsewhere the same paths without it would be glibc's
  string(REPLACE "-linux-gnu" "-linux-musl" architecture ${CMAKE_LIBRARY_ARCHITECTURE})
  list(PREPEND header_places /usr/include/${architecture})
  list(PREPEND library_places /usr/lib/${architecture})
endif()
find_path(DEFT_MUSL_HEADERS sys/syscall.h REQUIRED NO_DEFAULT_PATH PATHS ${header_places})
find_path(DEFT_MUSL_LIBRARIES crt1.o REQUIRED NO_DEFAULT_PATH PATHS ${library_places})

# The kernel's headers alone: what musl does not have must not come from glibc.
set(kernel_headers ${CMAKE_BINARY_DIR}/kernel_headers)
file(MAKE_DIRECTORY ${kernel_headers})
foreach(folder linux asm asm-generic)
  find_path(DEFT_KERNEL_${folder} ${folder} REQUIRED
    PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} /usr/include NO_DEFAULT_PATH)
  file(CREATE_LINK ${DEFT_KERNEL_${folder}}/${folder} ${kernel_headers}/${folder} SYMBOLIC)
endforeach()

set(headers -nostdinc -nostdinc++)
foreach(folder ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  if(folder MATCHES "/c\\+\\+/")
    list(APPEND headers "SHELL:-isystem ${folder}")
  endif()
endforeach()
list(APPEND headers "SHELL:-isystem ${DEFT_MUSL_HEADERS}")
foreach(folder ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  if(folder MATCHES "/(gcc|clang)/")  # the compiler's own: stddef.h and the like
    list(APPEND headers "SHELL:-isystem ${folder}")
  endif()
endforeach()
list(APPEND headers "SHELL:-idirafter ${kernel_headers}"
  "-D__GLIBC_PREREQ(a,b)=0")  # libstdc++ asks, without looking whether there is an answer

file(GLOB DEFT_WARDEN_SOURCES CONFIGURE_DEPENDS src/warden/*.cc)
add_executable(warden ${DEFT_WARDEN_SOURCES})
target_include_directories(warden PRIVATE src)
target_compile_options(warden PRIVATE -O2 -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections ${headers})
target_link_options(warden PRIVATE -static -nostdlib -s -Wl,--gc-sections -Wl,-z,noseparate-code
  ${DEFT_MUSL_LIBRARIES}/crt1.o ${DEFT_MUSL_LIBRARIES}/crti.o)
target_link_libraries(warden PRIVATE ${DEFT_MUSL_LIBRARIES}/libc.a gcc ${DEFT_MUSL_LIBRARIES}/libc.a
  ${DEFT_MUSL_LIBRARIES}/crtn.o)
set_target_properties(warden PROPERTIES POSITION_INDEPENDENT_CODE OFF)
