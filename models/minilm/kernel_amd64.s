#include "textflag.h"

// The inner loops that kernel.go describes, for AVX2 with FMA, 8 numbers at a time.

// Constants, each four bytes.
#define LOWEST consts<>+0(SB)
#define LOG2E  consts<>+4(SB)
#define LN2    consts<>+8(SB)
#define ONE    consts<>+12(SB)
#define HALF   consts<>+16(SB)
#define C3     consts<>+20(SB)
#define C4     consts<>+24(SB)
#define C5     consts<>+28(SB)
#define C6     consts<>+32(SB)
#define BIAS   consts<>+36(SB)
#define ABS    consts<>+40(SB)
#define SLOPE  consts<>+44(SB)
#define E1     consts<>+48(SB)
#define E2     consts<>+52(SB)
#define E3     consts<>+56(SB)
#define E4     consts<>+60(SB)
#define E5     consts<>+64(SB)
#define NHALF  consts<>+68(SB)

DATA consts<>+0(SB)/4, $-87.0
DATA consts<>+4(SB)/4, $1.44269504
DATA consts<>+8(SB)/4, $0.693147181
DATA consts<>+12(SB)/4, $1.0
DATA consts<>+16(SB)/4, $0.5
DATA consts<>+20(SB)/4, $0.166666667
DATA consts<>+24(SB)/4, $0.0416666667
DATA consts<>+28(SB)/4, $0.00833333333
DATA consts<>+32(SB)/4, $0.00138888889
DATA consts<>+36(SB)/4, $127
DATA consts<>+40(SB)/4, $0x7fffffff
DATA consts<>+44(SB)/4, $0.231641888
DATA consts<>+48(SB)/4, $0.127414796
DATA consts<>+52(SB)/4, $-0.142248368
DATA consts<>+56(SB)/4, $0.7107068705
DATA consts<>+60(SB)/4, $-0.7265760135
DATA consts<>+64(SB)/4, $0.5307027145
DATA consts<>+68(SB)/4, $-0.5
GLOBL consts<>(SB), RODATA|NOPTR, $72

// INPUT adds the products of one input of the four rows, at byte A behind SI and R11, with the 24
// weights at byte W behind DI. Y0 to Y11 are the sums.
#define INPUT(A, W) \
	VMOVUPS W(DI), Y12            \
	VMOVUPS W+32(DI), Y13         \
	VMOVUPS W+64(DI), Y14         \
	VBROADCASTSS A(SI), Y15       \
	VFMADD231PS Y12, Y15, Y0      \
	VFMADD231PS Y13, Y15, Y1      \
	VFMADD231PS Y14, Y15, Y2      \
	VBROADCASTSS A(SI)(R8*1), Y15 \
	VFMADD231PS Y12, Y15, Y3      \
	VFMADD231PS Y13, Y15, Y4      \
	VFMADD231PS Y14, Y15, Y5      \
	VBROADCASTSS A(R11), Y15      \
	VFMADD231PS Y12, Y15, Y6      \
	VFMADD231PS Y13, Y15, Y7      \
	VFMADD231PS Y14, Y15, Y8      \
	VBROADCASTSS A(R11)(R8*1), Y15 \
	VFMADD231PS Y12, Y15, Y9      \
	VFMADD231PS Y13, Y15, Y10     \
	VFMADD231PS Y14, Y15, Y11

// OUTPUT writes the sums of a row, and goes to the next.
#define OUTPUT(A, B, C) \
	VMOVUPS A, (DX)   \
	VMOVUPS B, 32(DX) \
	VMOVUPS C, 64(DX) \
	ADDQ R10, DX

// func tileAVX2(out *float32, outStride int, in *float32, inStride int, weights *float32, inputs int, bias *float32)
TEXT ·tileAVX2(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DX
	MOVQ outStride+8(FP), R10
	MOVQ in+16(FP), SI
	MOVQ inStride+24(FP), R8
	MOVQ weights+32(FP), DI
	MOVQ inputs+40(FP), CX
	MOVQ bias+48(FP), R9
	SHLQ $2, R8
	SHLQ $2, R10
	LEAQ (SI)(R8*2), R11
	VMOVUPS (R9), Y0
	VMOVUPS 32(R9), Y1
	VMOVUPS 64(R9), Y2
	VMOVAPS Y0, Y3
	VMOVAPS Y1, Y4
	VMOVAPS Y2, Y5
	VMOVAPS Y0, Y6
	VMOVAPS Y1, Y7
	VMOVAPS Y2, Y8
	VMOVAPS Y0, Y9
	VMOVAPS Y1, Y10
	VMOVAPS Y2, Y11
inputs:
	PREFETCHT0 1536(DI) // weights of 16 inputs on: those of a short text come from far away
	PREFETCHT0 1600(DI)
	PREFETCHT0 1664(DI)
	PREFETCHT0 1728(DI)
	PREFETCHT0 1792(DI)
	PREFETCHT0 1856(DI)
	INPUT(0, 0)
	INPUT(4, 96)
	INPUT(8, 192)
	INPUT(12, 288)
	ADDQ $16, SI
	ADDQ $16, R11
	ADDQ $384, DI
	SUBQ $4, CX
	JG inputs
	OUTPUT(Y0, Y1, Y2)
	OUTPUT(Y3, Y4, Y5)
	OUTPUT(Y6, Y7, Y8)
	OUTPUT(Y9, Y10, Y11)
	VZEROUPPER
	RET

// POWER replaces Y0, up to 0, by e to its power. Y15 holds LOWEST, Y14 LOG2E, Y13 LN2, Y12 ONE, Y11 HALF,
// Y10 BIAS, Y9 C6, Y8 C5, Y7 C4, Y6 C3. Y1 becomes the next power of 2, Y0 the rest, Y2 its series.
#define POWER \
	VMAXPS Y15, Y0, Y0        \
	VMULPS Y14, Y0, Y1        \
	VROUNDPS $0, Y1, Y1       \
	VFNMADD231PS Y13, Y1, Y0 \
	VCVTPS2DQ Y1, Y1          \
	VPADDD Y10, Y1, Y1        \
	VPSLLD $23, Y1, Y1        \
	VMOVAPS Y9, Y2            \
	VFMADD213PS Y8, Y0, Y2    \
	VFMADD213PS Y7, Y0, Y2    \
	VFMADD213PS Y6, Y0, Y2    \
	VFMADD213PS Y11, Y0, Y2   \
	VFMADD213PS Y12, Y0, Y2   \
	VFMADD213PS Y12, Y0, Y2   \
	VMULPS Y1, Y2, Y0

#define POWER_CONSTANTS \
	VBROADCASTSS LOWEST, Y15 \
	VBROADCASTSS LOG2E, Y14  \
	VBROADCASTSS LN2, Y13    \
	VBROADCASTSS ONE, Y12    \
	VBROADCASTSS HALF, Y11   \
	VBROADCASTSS BIAS, Y10   \
	VBROADCASTSS C6, Y9      \
	VBROADCASTSS C5, Y8      \
	VBROADCASTSS C4, Y7      \
	VBROADCASTSS C3, Y6

// func expAVX2(x *float32, n int) float32
TEXT ·expAVX2(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ SI, DI
	MOVQ CX, DX
	VMOVUPS (SI), Y3
greatest:
	VMAXPS (DI), Y3, Y3
	ADDQ $32, DI
	SUBQ $8, DX
	JG greatest
	VEXTRACTF128 $1, Y3, X4
	VMAXPS X4, X3, X3
	VPERMILPS $0x4E, X3, X4
	VMAXPS X4, X3, X3
	VPERMILPS $0xB1, X3, X4
	VMAXPS X4, X3, X3
	VBROADCASTSS X3, Y3
	POWER_CONSTANTS
	VXORPS Y5, Y5, Y5
next:
	VMOVUPS (SI), Y0
	VSUBPS Y3, Y0, Y0
	POWER
	VMOVUPS Y0, (SI)
	VADDPS Y0, Y5, Y5
	ADDQ $32, SI
	SUBQ $8, CX
	JG next
	VEXTRACTF128 $1, Y5, X4
	VADDPS X4, X5, X5
	VPERMILPS $0x4E, X5, X4
	VADDPS X4, X5, X5
	VPERMILPS $0xB1, X5, X4
	VADDPS X4, X5, X5
	VMOVSS X5, ret+16(FP)
	VZEROUPPER
	RET

// func geluAVX2(x *float32, n int)
TEXT ·geluAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	POWER_CONSTANTS
each:
	VMOVUPS (SI), Y3
	VBROADCASTSS NHALF, Y0
	VMULPS Y3, Y0, Y0
	VMULPS Y3, Y0, Y0
	POWER
	VBROADCASTSS ABS, Y4
	VANDPS Y3, Y4, Y4       // size
	VBROADCASTSS SLOPE, Y5
	VFMADD213PS Y12, Y4, Y5
	VDIVPS Y5, Y12, Y5      // t
	VBROADCASTSS E5, Y1
	VBROADCASTSS E4, Y2
	VFMADD213PS Y2, Y5, Y1
	VBROADCASTSS E3, Y2
	VFMADD213PS Y2, Y5, Y1
	VBROADCASTSS E2, Y2
	VFMADD213PS Y2, Y5, Y1
	VBROADCASTSS E1, Y2
	VFMADD213PS Y2, Y5, Y1
	VMULPS Y5, Y1, Y1       // half the tail
	VMULPS Y4, Y0, Y0
	VXORPS Y2, Y2, Y2
	VMAXPS Y2, Y3, Y3
	VFNMADD231PS Y0, Y1, Y3
	VMOVUPS Y3, (SI)
	ADDQ $32, SI
	SUBQ $8, CX
	JG each
	VZEROUPPER
	RET
