#include "textflag.h"

// The kernels that kernel.go describes, for AVX2, AVX-VNNI and AVX-512 with
// VNNI. A panel is 16 outputs, a group 4 inputs; so a group of a panel is 64
// bytes of weights: two Y registers or one Z register.

// Constants, each four bytes.
#define LIMIT   consts<>+0(SB)
#define NLIMIT  consts<>+4(SB)
#define C378    consts<>+8(SB)
#define C17325  consts<>+12(SB)
#define C135135 consts<>+16(SB)
#define C28     consts<>+20(SB)
#define C3150   consts<>+24(SB)
#define C62370  consts<>+28(SB)
#define HALF    consts<>+32(SB)
#define C127    consts<>+36(SB)
#define STATE   consts<>+40(SB)
#define NSTATE  consts<>+44(SB)
#define FLIP    consts<>+48(SB)

DATA consts<>+0(SB)/4, $4.97
DATA consts<>+4(SB)/4, $-4.97
DATA consts<>+8(SB)/4, $378.0
DATA consts<>+12(SB)/4, $17325.0
DATA consts<>+16(SB)/4, $135135.0
DATA consts<>+20(SB)/4, $28.0
DATA consts<>+24(SB)/4, $3150.0
DATA consts<>+28(SB)/4, $62370.0
DATA consts<>+32(SB)/4, $0.5
DATA consts<>+36(SB)/4, $127.0
DATA consts<>+40(SB)/4, $100.0
DATA consts<>+44(SB)/4, $-100.0
DATA consts<>+48(SB)/4, $0x80808080
GLOBL consts<>(SB), RODATA|NOPTR, $52

// --------------------------------------------------------------- arguments

// DOT_ARGS loads the arguments of dot. SI weights, R12 first sums, DI R9 R10
// R11 the four inputs, CX groups, R13 panels, DX the first output, BX the
// bytes from the outputs of one vector to those of the next.
#define DOT_ARGS \
	MOVQ w+0(FP), SI        \
	MOVQ from+8(FP), R12    \
	MOVQ x+16(FP), DI       \
	MOVQ stride+24(FP), R8  \
	MOVQ groups+32(FP), CX  \
	MOVQ panels+40(FP), R13 \
	MOVQ out+48(FP), DX     \
	LEAQ (DI)(R8*1), R9     \
	LEAQ (DI)(R8*2), R10    \
	LEAQ (R9)(R8*2), R11    \
	MOVQ R13, BX            \
	SHLQ $6, BX

// CONV_ARGS loads the arguments of convolve. SI weights, R13 first sums, DI R9
// R10 R11 R12 five rows of the image, CX squares, DX output.
#define CONV_ARGS \
	MOVQ w+0(FP), SI       \
	MOVQ from+8(FP), R13   \
	MOVQ img+16(FP), DI    \
	MOVQ stride+24(FP), R8 \
	MOVQ n+32(FP), CX      \
	MOVQ out+40(FP), DX    \
	LEAQ (DI)(R8*1), R9    \
	LEAQ (DI)(R8*2), R10   \
	LEAQ (R9)(R8*2), R11   \
	LEAQ (R10)(R8*2), R12

// STEP_ARGS loads the arguments of step. SI R8 R9 R10 the sums of the four
// gates, R11 R12 R13 R15 their scales, DI state, CX units, DX output.
#define STEP_ARGS \
	MOVQ raw+0(FP), SI       \
	MOVQ scale+8(FP), R11    \
	MOVQ state+16(FP), DI    \
	MOVQ units+24(FP), CX    \
	MOVQ out+32(FP), DX      \
	LEAQ (SI)(CX*4), R8      \
	LEAQ (R8)(CX*4), R9      \
	LEAQ (R9)(CX*4), R10     \
	LEAQ (R11)(CX*4), R12    \
	LEAQ (R12)(CX*4), R13    \
	LEAQ (R13)(CX*4), R15    \
	XORQ AX, AX

// ---------------------------------------------------------------- products

// AVX2 has no product of signed bytes. The sign of a weight is moved to the
// input: |w| * (x with the sign of w) fits 16 bits in pairs, for x in -127..127.
// In: weights in W, |w| in ABS, ones in Y15. Clobbers T.
#define MAC_AVX2(W, ABS, X, ACC, T) \
	VPSIGNB W, X, T      \
	VPMADDUBSW T, ABS, T \
	VPMADDWD Y15, T, T   \
	VPADDD T, ACC, ACC

// VPDPBUSD Y(8+w), Y12, Y(acc) in its VEX form, which the assembler lacks:
// adds the products of the unsigned bytes of Y12 and the signed ones of a
// weight register to an accumulator.
#define MAC_VNNI(acc, w) \
	BYTE $0xC4; BYTE $0xC2; BYTE $0x1D; BYTE $0x50; BYTE $(0xC0|acc<<3|w)

// START_Y sets the sums of a panel for the four vectors, in Y0 to Y7.
#define START_Y \
	VMOVDQU (R12), Y0   \
	VMOVDQU 32(R12), Y1 \
	VMOVDQA Y0, Y2      \
	VMOVDQA Y1, Y3      \
	VMOVDQA Y0, Y4      \
	VMOVDQA Y1, Y5      \
	VMOVDQA Y0, Y6      \
	VMOVDQA Y1, Y7      \
	ADDQ $64, R12       \
	XORQ AX, AX

// STORE_Y writes them, and moves on to the next panel.
#define STORE_Y \
	LEAQ (DX)(BX*2), R8         \
	VMOVDQU Y0, (DX)            \
	VMOVDQU Y1, 32(DX)          \
	VMOVDQU Y2, (DX)(BX*1)      \
	VMOVDQU Y3, 32(DX)(BX*1)    \
	VMOVDQU Y4, (R8)            \
	VMOVDQU Y5, 32(R8)          \
	VMOVDQU Y6, (R8)(BX*1)      \
	VMOVDQU Y7, 32(R8)(BX*1)    \
	ADDQ $64, DX                \
	DECQ R13

// func dotAVX2(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)
TEXT ·dotAVX2(SB), NOSPLIT, $0-56
	DOT_ARGS
	VPCMPEQW Y15, Y15, Y15
	VPSRLW $15, Y15, Y15
panel:
	START_Y
groups:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VPABSB Y8, Y10
	VPABSB Y9, Y13
	VPBROADCASTD (DI)(AX*4), Y12
	MAC_AVX2(Y8, Y10, Y12, Y0, Y11)
	MAC_AVX2(Y9, Y13, Y12, Y1, Y14)
	VPBROADCASTD (R9)(AX*4), Y12
	MAC_AVX2(Y8, Y10, Y12, Y2, Y11)
	MAC_AVX2(Y9, Y13, Y12, Y3, Y14)
	VPBROADCASTD (R10)(AX*4), Y12
	MAC_AVX2(Y8, Y10, Y12, Y4, Y11)
	MAC_AVX2(Y9, Y13, Y12, Y5, Y14)
	VPBROADCASTD (R11)(AX*4), Y12
	MAC_AVX2(Y8, Y10, Y12, Y6, Y11)
	MAC_AVX2(Y9, Y13, Y12, Y7, Y14)
	ADDQ $64, SI
	INCQ AX
	CMPQ AX, CX
	JLT groups
	STORE_Y
	JNZ panel
	VZEROUPPER
	RET

// PAIR_AVX2 adds the products of a pair of groups to the sums A and B of a
// vector, which begins at X. The inputs of the groups are AX and R8 further on,
// their weights in Y8, Y9, Y10 and at 96(SI), ones in Y15. Inputs without sign
// take the place of the sign's move, and two products of each group are added
// in 16 bits before the sums are widened.
#define PAIR_AVX2(X, A, B) \
	VPBROADCASTD (X)(AX*1), Y12     \
	VPBROADCASTD (X)(R8*1), Y13     \
	VPMADDUBSW Y8, Y12, Y14         \
	VPMADDUBSW Y9, Y12, Y12         \
	VPMADDUBSW Y10, Y13, Y11        \
	VPMADDUBSW 96(SI), Y13, Y13     \
	VPADDW Y11, Y14, Y14            \
	VPADDW Y13, Y12, Y12            \
	VPMADDWD Y15, Y14, Y14          \
	VPMADDWD Y15, Y12, Y12          \
	VPADDD Y14, A, A                \
	VPADDD Y12, B, B

// func positiveAVX2(w *int8, from *int32, x *int8, stride int, at, count *int32, panels int, out *int32)
TEXT ·positiveAVX2(SB), NOSPLIT, $0-64
	MOVQ w+0(FP), SI
	MOVQ from+8(FP), R12
	MOVQ x+16(FP), DI
	MOVQ stride+24(FP), R8
	MOVQ at+32(FP), R15
	MOVQ count+40(FP), R14
	MOVQ panels+48(FP), R13
	MOVQ out+56(FP), DX
	LEAQ (DI)(R8*1), R9
	LEAQ (DI)(R8*2), R10
	LEAQ (R9)(R8*2), R11
	MOVQ R13, BX
	SHLQ $6, BX
	VPCMPEQW Y15, Y15, Y15
	VPSRLW $15, Y15, Y15
panel:
	START_Y
	MOVLQSX (R14), CX
	ADDQ $4, R14
pair:
	MOVLQSX (R15), AX
	MOVLQSX 4(R15), R8
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VMOVDQU 64(SI), Y10
	PAIR_AVX2(DI, Y0, Y1)
	PAIR_AVX2(R9, Y2, Y3)
	PAIR_AVX2(R10, Y4, Y5)
	PAIR_AVX2(R11, Y6, Y7)
	ADDQ $128, SI
	ADDQ $8, R15
	DECQ CX
	JNZ pair
	STORE_Y
	JNZ panel
	VZEROUPPER
	RET

// func dotVNNI(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)
TEXT ·dotVNNI(SB), NOSPLIT, $0-56
	DOT_ARGS
	VPBROADCASTD FLIP, Y15
panel:
	START_Y
groups:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VPBROADCASTD (DI)(AX*4), Y12
	VPXOR Y15, Y12, Y12
	MAC_VNNI(0, 0)
	MAC_VNNI(1, 1)
	VPBROADCASTD (R9)(AX*4), Y12
	VPXOR Y15, Y12, Y12
	MAC_VNNI(2, 0)
	MAC_VNNI(3, 1)
	VPBROADCASTD (R10)(AX*4), Y12
	VPXOR Y15, Y12, Y12
	MAC_VNNI(4, 0)
	MAC_VNNI(5, 1)
	VPBROADCASTD (R11)(AX*4), Y12
	VPXOR Y15, Y12, Y12
	MAC_VNNI(6, 0)
	MAC_VNNI(7, 1)
	ADDQ $64, SI
	INCQ AX
	CMPQ AX, CX
	JLT groups
	STORE_Y
	JNZ panel
	VZEROUPPER
	RET

// INPUTS_Z loads a group of input of each vector, in Z20 to Z23.
#define INPUTS_Z \
	VPBROADCASTD (DI)(AX*4), Z20  \
	VPBROADCASTD (R9)(AX*4), Z21  \
	VPBROADCASTD (R10)(AX*4), Z22 \
	VPBROADCASTD (R11)(AX*4), Z23 \
	VPXORD Z31, Z20, Z20          \
	VPXORD Z31, Z21, Z21          \
	VPXORD Z31, Z22, Z22          \
	VPXORD Z31, Z23, Z23

// START_Z, MAC_Z and STORE_Z handle one panel for the four vectors.
#define START_Z(FROM, A, B, C, D) \
	VMOVDQU32 FROM, A \
	VMOVDQA32 A, B    \
	VMOVDQA32 A, C    \
	VMOVDQA32 A, D

#define MAC_Z(W, A, B, C, D) \
	VPDPBUSD W, Z20, A \
	VPDPBUSD W, Z21, B \
	VPDPBUSD W, Z22, C \
	VPDPBUSD W, Z23, D

#define STORE_Z(AT, A, B, C, D) \
	VMOVDQU32 A, AT(DX)       \
	VMOVDQU32 B, AT(DX)(BX*1) \
	VMOVDQU32 C, AT(R8)       \
	VMOVDQU32 D, AT(R8)(BX*1)

// func dotAVX512(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)
//
// It takes four panels at once, because one gives too few sums to hide how
// long an addition takes; what is left over it takes one by one.
TEXT ·dotAVX512(SB), NOSPLIT, $0-56
	DOT_ARGS
	VPBROADCASTD FLIP, Z31
	MOVQ CX, R15
	SHLQ $6, R15 // bytes of a panel
	CMPQ R13, $4
	JLT rest
four:
	START_Z((R12), Z0, Z1, Z2, Z3)
	START_Z(64(R12), Z4, Z5, Z6, Z7)
	START_Z(128(R12), Z8, Z9, Z10, Z11)
	START_Z(192(R12), Z12, Z13, Z14, Z15)
	LEAQ (SI)(R15*2), R8
	XORQ AX, AX
groups4:
	INPUTS_Z
	VMOVDQU32 (SI), Z16
	VMOVDQU32 (SI)(R15*1), Z17
	VMOVDQU32 (R8), Z18
	VMOVDQU32 (R8)(R15*1), Z19
	MAC_Z(Z16, Z0, Z1, Z2, Z3)
	MAC_Z(Z17, Z4, Z5, Z6, Z7)
	MAC_Z(Z18, Z8, Z9, Z10, Z11)
	MAC_Z(Z19, Z12, Z13, Z14, Z15)
	ADDQ $64, SI
	ADDQ $64, R8
	INCQ AX
	CMPQ AX, CX
	JLT groups4
	LEAQ (R8)(R15*1), SI
	LEAQ (DX)(BX*2), R8
	STORE_Z(0, Z0, Z1, Z2, Z3)
	STORE_Z(64, Z4, Z5, Z6, Z7)
	STORE_Z(128, Z8, Z9, Z10, Z11)
	STORE_Z(192, Z12, Z13, Z14, Z15)
	ADDQ $256, R12
	ADDQ $256, DX
	SUBQ $4, R13
	CMPQ R13, $4
	JGE four
rest:
	TESTQ R13, R13
	JZ done
one:
	START_Z((R12), Z0, Z1, Z2, Z3)
	XORQ AX, AX
groups1:
	INPUTS_Z
	VMOVDQU32 (SI), Z16
	MAC_Z(Z16, Z0, Z1, Z2, Z3)
	ADDQ $64, SI
	INCQ AX
	CMPQ AX, CX
	JLT groups1
	LEAQ (DX)(BX*2), R8
	STORE_Z(0, Z0, Z1, Z2, Z3)
	ADDQ $64, R12
	ADDQ $64, DX
	DECQ R13
	JNZ one
done:
	VZEROUPPER
	RET

// ------------------------------------------------------------- convolution

// CONV_NEXT moves on to the next square.
#define CONV_NEXT \
	ADDQ $3, DI  \
	ADDQ $3, R9  \
	ADDQ $3, R10 \
	ADDQ $3, R11 \
	ADDQ $3, R12 \
	ADDQ $64, DX \
	DECQ CX

// One of the nine results, and the greatest so far in Y0 and Y1.
#define CONV_AVX2(A, B, C) \
	VMOVDQU (R13), Y2               \
	VMOVDQU 32(R13), Y3             \
	VPBROADCASTD A, Y12             \
	VPABSB Y4, Y10                  \
	VPABSB Y5, Y13                  \
	MAC_AVX2(Y4, Y10, Y12, Y2, Y11) \
	MAC_AVX2(Y5, Y13, Y12, Y3, Y14) \
	VPBROADCASTD B, Y12             \
	VPABSB Y6, Y10                  \
	VPABSB Y7, Y13                  \
	MAC_AVX2(Y6, Y10, Y12, Y2, Y11) \
	MAC_AVX2(Y7, Y13, Y12, Y3, Y14) \
	VPBROADCASTD C, Y12             \
	VPABSB Y8, Y10                  \
	VPABSB Y9, Y13                  \
	MAC_AVX2(Y8, Y10, Y12, Y2, Y11) \
	MAC_AVX2(Y9, Y13, Y12, Y3, Y14) \
	VPMAXSD Y2, Y0, Y0              \
	VPMAXSD Y3, Y1, Y1

// func convolveAVX2(w *int8, from *int32, img *int8, stride, n int, out *int32)
TEXT ·convolveAVX2(SB), NOSPLIT, $0-48
	CONV_ARGS
	VPCMPEQW Y15, Y15, Y15
	VPSRLW $15, Y15, Y15
	VMOVDQU (SI), Y4
	VMOVDQU 32(SI), Y5
	VMOVDQU 64(SI), Y6
	VMOVDQU 96(SI), Y7
	VMOVDQU 128(SI), Y8
	VMOVDQU 160(SI), Y9
square:
	VPCMPEQD Y0, Y0, Y0
	VPSLLD $31, Y0, Y0
	VMOVDQA Y0, Y1
	CONV_AVX2(0(DI), 0(R9), 0(R10))
	CONV_AVX2(1(DI), 1(R9), 1(R10))
	CONV_AVX2(2(DI), 2(R9), 2(R10))
	CONV_AVX2(0(R9), 0(R10), 0(R11))
	CONV_AVX2(1(R9), 1(R10), 1(R11))
	CONV_AVX2(2(R9), 2(R10), 2(R11))
	CONV_AVX2(0(R10), 0(R11), 0(R12))
	CONV_AVX2(1(R10), 1(R11), 1(R12))
	CONV_AVX2(2(R10), 2(R11), 2(R12))
	VMOVDQU Y0, (DX)
	VMOVDQU Y1, 32(DX)
	CONV_NEXT
	JNZ square
	VZEROUPPER
	RET

// The same with VNNI: the three groups of weights come to Y8 and Y9 in turn.
#define CONV_VNNI(A, B, C) \
	VMOVDQU (R13), Y2    \
	VMOVDQU 32(R13), Y3  \
	VMOVDQU (SI), Y8     \
	VMOVDQU 32(SI), Y9   \
	VPBROADCASTD A, Y12  \
	VPXOR Y15, Y12, Y12  \
	MAC_VNNI(2, 0)       \
	MAC_VNNI(3, 1)       \
	VMOVDQU 64(SI), Y8   \
	VMOVDQU 96(SI), Y9   \
	VPBROADCASTD B, Y12  \
	VPXOR Y15, Y12, Y12  \
	MAC_VNNI(2, 0)       \
	MAC_VNNI(3, 1)       \
	VMOVDQU 128(SI), Y8  \
	VMOVDQU 160(SI), Y9  \
	VPBROADCASTD C, Y12  \
	VPXOR Y15, Y12, Y12  \
	MAC_VNNI(2, 0)       \
	MAC_VNNI(3, 1)       \
	VPMAXSD Y2, Y0, Y0   \
	VPMAXSD Y3, Y1, Y1

// func convolveVNNI(w *int8, from *int32, img *int8, stride, n int, out *int32)
TEXT ·convolveVNNI(SB), NOSPLIT, $0-48
	CONV_ARGS
	VPBROADCASTD FLIP, Y15
square:
	VPCMPEQD Y0, Y0, Y0
	VPSLLD $31, Y0, Y0
	VMOVDQA Y0, Y1
	CONV_VNNI(0(DI), 0(R9), 0(R10))
	CONV_VNNI(1(DI), 1(R9), 1(R10))
	CONV_VNNI(2(DI), 2(R9), 2(R10))
	CONV_VNNI(0(R9), 0(R10), 0(R11))
	CONV_VNNI(1(R9), 1(R10), 1(R11))
	CONV_VNNI(2(R9), 2(R10), 2(R11))
	CONV_VNNI(0(R10), 0(R11), 0(R12))
	CONV_VNNI(1(R10), 1(R11), 1(R12))
	CONV_VNNI(2(R10), 2(R11), 2(R12))
	VMOVDQU Y0, (DX)
	VMOVDQU Y1, 32(DX)
	CONV_NEXT
	JNZ square
	VZEROUPPER
	RET

// The same with AVX-512: each sum of three products in a register of its own.
#define CONV_Z(A, B, C, SUM, X0, X1, X2) \
	VMOVDQA32 Z16, SUM    \
	VPBROADCASTD A, X0    \
	VPBROADCASTD B, X1    \
	VPBROADCASTD C, X2    \
	VPXORD Z31, X0, X0    \
	VPXORD Z31, X1, X1    \
	VPXORD Z31, X2, X2    \
	VPDPBUSD Z17, X0, SUM \
	VPDPBUSD Z18, X1, SUM \
	VPDPBUSD Z19, X2, SUM

// func convolveAVX512(w *int8, from *int32, img *int8, stride, n int, out *int32)
TEXT ·convolveAVX512(SB), NOSPLIT, $0-48
	CONV_ARGS
	VPBROADCASTD FLIP, Z31
	VMOVDQU32 (R13), Z16
	VMOVDQU32 (SI), Z17
	VMOVDQU32 64(SI), Z18
	VMOVDQU32 128(SI), Z19
square:
	CONV_Z(0(DI), 0(R9), 0(R10), Z0, Z20, Z21, Z22)
	CONV_Z(1(DI), 1(R9), 1(R10), Z1, Z23, Z24, Z25)
	CONV_Z(2(DI), 2(R9), 2(R10), Z2, Z26, Z27, Z28)
	CONV_Z(0(R9), 0(R10), 0(R11), Z3, Z20, Z21, Z22)
	CONV_Z(1(R9), 1(R10), 1(R11), Z4, Z23, Z24, Z25)
	CONV_Z(2(R9), 2(R10), 2(R11), Z5, Z26, Z27, Z28)
	CONV_Z(0(R10), 0(R11), 0(R12), Z6, Z20, Z21, Z22)
	CONV_Z(1(R10), 1(R11), 1(R12), Z7, Z23, Z24, Z25)
	CONV_Z(2(R10), 2(R11), 2(R12), Z8, Z26, Z27, Z28)
	VPMAXSD Z0, Z1, Z1
	VPMAXSD Z2, Z3, Z3
	VPMAXSD Z4, Z5, Z5
	VPMAXSD Z6, Z7, Z7
	VPMAXSD Z1, Z3, Z3
	VPMAXSD Z5, Z7, Z7
	VPMAXSD Z3, Z8, Z8
	VPMAXSD Z7, Z8, Z8
	VMOVDQU32 Z8, (DX)
	CONV_NEXT
	JNZ square
	VZEROUPPER
	RET

// ------------------------------------------------------------- activations

// TANH_Y replaces X by its hyperbolic tangent, as tanh in kernel.go does.
// Clobbers S, P and Q.
#define TANH_Y(X, S, P, Q) \
	VBROADCASTSS LIMIT, S   \
	VMINPS S, X, X          \
	VBROADCASTSS NLIMIT, S  \
	VMAXPS S, X, X          \
	VMULPS X, X, S          \
	VBROADCASTSS C378, P    \
	VADDPS S, P, P          \
	VMULPS S, P, P          \
	VBROADCASTSS C17325, Q  \
	VADDPS Q, P, P          \
	VMULPS S, P, P          \
	VBROADCASTSS C135135, Q \
	VADDPS Q, P, P          \
	VMULPS X, P, P          \
	VBROADCASTSS C28, X     \
	VMULPS S, X, X          \
	VBROADCASTSS C3150, Q   \
	VADDPS Q, X, X          \
	VMULPS S, X, X          \
	VBROADCASTSS C62370, Q  \
	VADDPS Q, X, X          \
	VMULPS S, X, X          \
	VBROADCASTSS C135135, Q \
	VADDPS Q, X, X          \
	VDIVPS X, P, X

// SIGMOID_Y does the same with sigmoid. One half is in H.
#define SIGMOID_Y(X, S, P, Q, H) \
	VMULPS H, X, X     \
	TANH_Y(X, S, P, Q) \
	VMULPS H, X, X     \
	VADDPS H, X, X

// LOAD_Y makes sums into numbers.
#define LOAD_Y(RAW, SCALE, X) \
	VCVTDQ2PS RAW, X \
	VMULPS SCALE, X, X

// BYTES_Y rounds 127 X to eight bytes at TO. 127 is in C. Clobbers XT.
#define BYTES_Y(X, XX, XT, C, TO) \
	VMULPS C, X, X         \
	VCVTPS2DQ X, X         \
	VEXTRACTI128 $1, X, XT \
	VPACKSSDW XT, XX, XX   \
	VPACKSSWB XX, XX, XX   \
	VMOVQ XX, TO

// func squashAVX2(in *int32, scale *float32, n int, out *int8, stride int)
TEXT ·squashAVX2(SB), NOSPLIT, $0-40
	MOVQ in+0(FP), SI
	MOVQ scale+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ out+24(FP), DX
	MOVQ stride+32(FP), BX
	VMOVUPS (R8), Y8
	VMOVUPS 32(R8), Y9
	VBROADCASTSS C127, Y15
next:
	LOAD_Y((SI), Y8, Y0)
	LOAD_Y(32(SI), Y9, Y4)
	TANH_Y(Y0, Y1, Y2, Y3)
	TANH_Y(Y4, Y5, Y6, Y7)
	BYTES_Y(Y0, X0, X1, Y15, 0(DX))
	BYTES_Y(Y4, X4, X5, Y15, 8(DX))
	ADDQ $64, SI
	ADDQ BX, DX
	DECQ CX
	JNZ next
	VZEROUPPER
	RET

// func stepAVX2(raw *int32, scale, state *float32, units int, out *int8)
TEXT ·stepAVX2(SB), NOSPLIT, $0-40
	STEP_ARGS
	VBROADCASTSS HALF, Y15
	VBROADCASTSS C127, Y14
next:
	LOAD_Y((SI)(AX*4), (R11)(AX*4), Y0)
	LOAD_Y((R8)(AX*4), (R12)(AX*4), Y4)
	TANH_Y(Y0, Y1, Y2, Y3)
	SIGMOID_Y(Y4, Y5, Y6, Y7, Y15)
	VMULPS Y4, Y0, Y8
	LOAD_Y((R9)(AX*4), (R13)(AX*4), Y0)
	LOAD_Y((R10)(AX*4), (R15)(AX*4), Y4)
	SIGMOID_Y(Y0, Y1, Y2, Y3, Y15)
	SIGMOID_Y(Y4, Y5, Y6, Y7, Y15)
	VMULPS (DI)(AX*4), Y0, Y0
	VADDPS Y8, Y0, Y0
	VBROADCASTSS NSTATE, Y1
	VMAXPS Y1, Y0, Y0
	VBROADCASTSS STATE, Y1
	VMINPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	TANH_Y(Y0, Y1, Y2, Y3)
	VMULPS Y4, Y0, Y0
	BYTES_Y(Y0, X0, X1, Y14, (DX)(AX*1))
	ADDQ $8, AX
	CMPQ AX, CX
	JLT next
	VZEROUPPER
	RET

// The constants of TANH_Z, and one half, 127 and the bounds of a state.
#define CONSTS_Z \
	VBROADCASTSS LIMIT, Z20   \
	VBROADCASTSS NLIMIT, Z21  \
	VBROADCASTSS C378, Z22    \
	VBROADCASTSS C17325, Z23  \
	VBROADCASTSS C135135, Z24 \
	VBROADCASTSS C28, Z25     \
	VBROADCASTSS C3150, Z26   \
	VBROADCASTSS C62370, Z27  \
	VBROADCASTSS HALF, Z28    \
	VBROADCASTSS C127, Z29    \
	VBROADCASTSS NSTATE, Z30  \
	VBROADCASTSS STATE, Z31

#define TANH_Z(X, S, P) \
	VMINPS Z20, X, X \
	VMAXPS Z21, X, X \
	VMULPS X, X, S   \
	VADDPS S, Z22, P \
	VMULPS S, P, P   \
	VADDPS Z23, P, P \
	VMULPS S, P, P   \
	VADDPS Z24, P, P \
	VMULPS X, P, P   \
	VMULPS S, Z25, X \
	VADDPS Z26, X, X \
	VMULPS S, X, X   \
	VADDPS Z27, X, X \
	VMULPS S, X, X   \
	VADDPS Z24, X, X \
	VDIVPS X, P, X

#define SIGMOID_Z(X, S, P) \
	VMULPS Z28, X, X \
	TANH_Z(X, S, P)  \
	VMULPS Z28, X, X \
	VADDPS Z28, X, X

#define BYTES_Z(X, XX, TO) \
	VMULPS Z29, X, X \
	VCVTPS2DQ X, X   \
	VPMOVSDB X, XX   \
	VMOVDQU XX, TO

// func squashAVX512(in *int32, scale *float32, n int, out *int8, stride int)
TEXT ·squashAVX512(SB), NOSPLIT, $0-40
	MOVQ in+0(FP), SI
	MOVQ scale+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ out+24(FP), DX
	MOVQ stride+32(FP), BX
	CONSTS_Z
	VMOVUPS (R8), Z8
next:
	LOAD_Y((SI), Z8, Z0)
	TANH_Z(Z0, Z1, Z2)
	BYTES_Z(Z0, X0, (DX))
	ADDQ $64, SI
	ADDQ BX, DX
	DECQ CX
	JNZ next
	VZEROUPPER
	RET

// func stepAVX512(raw *int32, scale, state *float32, units int, out *int8)
TEXT ·stepAVX512(SB), NOSPLIT, $0-40
	STEP_ARGS
	CONSTS_Z
next:
	LOAD_Y((SI)(AX*4), (R11)(AX*4), Z0)
	LOAD_Y((R8)(AX*4), (R12)(AX*4), Z1)
	LOAD_Y((R9)(AX*4), (R13)(AX*4), Z2)
	LOAD_Y((R10)(AX*4), (R15)(AX*4), Z3)
	TANH_Z(Z0, Z4, Z5)
	SIGMOID_Z(Z1, Z6, Z7)
	SIGMOID_Z(Z2, Z8, Z9)
	SIGMOID_Z(Z3, Z10, Z11)
	VMULPS Z1, Z0, Z0
	VMULPS (DI)(AX*4), Z2, Z2
	VADDPS Z0, Z2, Z2
	VMAXPS Z30, Z2, Z2
	VMINPS Z31, Z2, Z2
	VMOVUPS Z2, (DI)(AX*4)
	TANH_Z(Z2, Z4, Z5)
	VMULPS Z3, Z2, Z2
	BYTES_Z(Z2, X2, (DX)(AX*1))
	ADDQ $16, AX
	CMPQ AX, CX
	JLT next
	VZEROUPPER
	RET
