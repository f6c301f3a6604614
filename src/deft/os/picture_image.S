// The program that makes pictures smaller (src/picture), carried inside like the warden.

        .section .rodata
        .balign 16
        .globl  deft_picture_image_begin
        .globl  deft_picture_image_end
deft_picture_image_begin:
        .incbin DEFT_PICTURE_PATH
deft_picture_image_end:

        .section .note.GNU-stack, "", %progbits
