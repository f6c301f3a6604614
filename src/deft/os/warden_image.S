// The warden's program, carried inside whatever links deft: there is no second file to find, to lose or to replace.

        .section .rodata
        .balign 16
        .globl  deft_warden_image_begin
        .globl  deft_warden_image_end
deft_warden_image_begin:
        .incbin DEFT_WARDEN_PATH
deft_warden_image_end:

        .section .note.GNU-stack, "", %progbits
