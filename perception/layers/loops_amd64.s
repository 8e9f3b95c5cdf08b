#include "textflag.h"

// The inner loops that loops.go describes, for AVX2, 16 channels at a time.

DATA limit<>+0(SB)/4, $127.0
GLOBL limit<>(SB), RODATA|NOPTR, $4

// CLAMP rounds the numbers in Y0 and Y1 to activations: 16 bytes in X0. Y14 holds zeros, Y15 the limit.
#define CLAMP \
	VMAXPS Y14, Y0, Y0      \
	VMAXPS Y14, Y1, Y1      \
	VMINPS Y15, Y0, Y0      \
	VMINPS Y15, Y1, Y1      \
	VCVTPS2DQ Y0, Y0        \
	VCVTPS2DQ Y1, Y1        \
	VPACKSSDW Y1, Y0, Y0    \
	VPERMQ $0xD8, Y0, Y0    \
	VEXTRACTI128 $1, Y0, X1 \
	VPACKSSWB X1, X0, X0

DATA ones<>+0(SB)/4, $0x00010001
GLOBL ones<>(SB), RODATA|NOPTR, $4

// TAP loads a place of two windows into the halves of Y. SI and R14 are the blocks of channels of
// the windows.
#define TAP(at, X, Y) \
	MOVQ at(R15), AX                  \
	VMOVDQU (SI)(AX*1), X             \
	VINSERTI128 $1, (R14)(AX*1), Y, Y

// SUM adds the products of four places and four channels of two windows, which are in Y. Y13 has
// ones.
#define SUM(at, Y, T, sum) \
	VBROADCASTI128 at(DI), T  \
	VPMADDUBSW T, Y, Y        \
	VPMADDWD Y13, Y, Y        \
	VPADDD Y, sum, sum

// SCALE turns sums of four channels of two windows into activations that are not yet rounded.
#define SCALE(at, T, sum) \
	VBROADCASTF128 at(R9), T  \
	VCVTDQ2PS sum, sum        \
	VMULPS T, sum, sum        \
	VMAXPS Y14, sum, sum      \
	VMINPS Y15, sum, sum      \
	VCVTPS2DQ sum, sum

// func depthwiseAVX2(x, w *int8, places *int, add *int32, scale *float32, groups, channels, step, n int, out *int8)
//
// It computes two windows at once. If n is odd, it computes the last window twice.
TEXT ·depthwiseAVX2(SB), NOSPLIT, $0-80
	MOVQ x+0(FP), R11
	MOVQ groups+40(FP), R10
	MOVQ n+64(FP), R13
	MOVQ out+72(FP), DX
	VPXOR Y14, Y14, Y14
	VBROADCASTSS limit<>(SB), Y15
	VPBROADCASTD ones<>(SB), Y13
windows:
	MOVQ R11, SI
	MOVQ R11, R14
	MOVQ DX, BX // activations of the second window
	CMPQ R13, $1
	JE alone
	ADDQ step+56(FP), R14
	ADDQ channels+48(FP), BX
alone:
	MOVQ R14, R11
	ADDQ step+56(FP), R11
	MOVQ w+8(FP), DI
	MOVQ add+24(FP), R8
	MOVQ scale+32(FP), R9
	MOVQ channels+48(FP), R12
block:
	VBROADCASTI128 (R8), Y0
	VBROADCASTI128 16(R8), Y1
	VBROADCASTI128 32(R8), Y2
	VBROADCASTI128 48(R8), Y3
	MOVQ places+16(FP), R15
	MOVQ R10, CX
taps:
	TAP(0, X4, Y4)
	TAP(8, X5, Y5)
	TAP(16, X6, Y6)
	TAP(24, X7, Y7)
	VPUNPCKLBW Y5, Y4, Y8
	VPUNPCKHBW Y5, Y4, Y9
	VPUNPCKLBW Y7, Y6, Y10
	VPUNPCKHBW Y7, Y6, Y11
	VPUNPCKLWD Y10, Y8, Y4
	VPUNPCKHWD Y10, Y8, Y5
	VPUNPCKLWD Y11, Y9, Y6
	VPUNPCKHWD Y11, Y9, Y7
	SUM(0, Y4, Y12, Y0)
	SUM(16, Y5, Y12, Y1)
	SUM(32, Y6, Y12, Y2)
	SUM(48, Y7, Y12, Y3)
	ADDQ $32, R15
	ADDQ $64, DI
	DECQ CX
	JNZ taps
	SCALE(0, Y4, Y0)
	SCALE(16, Y5, Y1)
	SCALE(32, Y6, Y2)
	SCALE(48, Y7, Y3)
	VPACKSSDW Y1, Y0, Y0
	VPACKSSDW Y3, Y2, Y2
	VPACKSSWB Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, (BX)
	VMOVDQU X0, (DX)
	ADDQ $16, SI
	ADDQ $16, R14
	ADDQ $64, R8
	ADDQ $64, R9
	ADDQ $16, DX
	ADDQ $16, BX
	SUBQ $16, R12
	JG block
	MOVQ BX, DX
	SUBQ $2, R13
	JG windows
	VZEROUPPER
	RET

// func activateAVX2(sums *int32, scale *float32, channels, n int, out *int8)
TEXT ·activateAVX2(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), SI
	MOVQ n+24(FP), R13
	MOVQ out+32(FP), DX
	VPXOR Y14, Y14, Y14
	VBROADCASTSS limit<>(SB), Y15
sums:
	MOVQ scale+8(FP), R9
	MOVQ channels+16(FP), CX
next:
	VCVTDQ2PS (SI), Y0
	VCVTDQ2PS 32(SI), Y1
	VMULPS (R9), Y0, Y0
	VMULPS 32(R9), Y1, Y1
	CLAMP
	VMOVDQU X0, (DX)
	ADDQ $64, SI
	ADDQ $64, R9
	ADDQ $16, DX
	SUBQ $16, CX
	JG next
	DECQ R13
	JNZ sums
	VZEROUPPER
	RET

// func activateOnAVX2(sums *int32, scale *float32, input *int8, keep float32, channels, n int, out *int8)
TEXT ·activateOnAVX2(SB), NOSPLIT, $0-56
	MOVQ sums+0(FP), SI
	MOVQ input+16(FP), DI
	VBROADCASTSS keep+24(FP), Y13
	MOVQ n+40(FP), R13
	MOVQ out+48(FP), DX
	VPXOR Y14, Y14, Y14
	VBROADCASTSS limit<>(SB), Y15
sums:
	MOVQ scale+8(FP), R9
	MOVQ channels+32(FP), CX
on:
	VCVTDQ2PS (SI), Y0
	VCVTDQ2PS 32(SI), Y1
	VMULPS (R9), Y0, Y0
	VMULPS 32(R9), Y1, Y1
	VPMOVSXBD (DI), Y2
	VPMOVSXBD 8(DI), Y3
	VCVTDQ2PS Y2, Y2
	VCVTDQ2PS Y3, Y3
	VMULPS Y13, Y2, Y2
	VMULPS Y13, Y3, Y3
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	CLAMP
	VMOVDQU X0, (DX)
	ADDQ $64, SI
	ADDQ $64, R9
	ADDQ $16, DI
	ADDQ $16, DX
	SUBQ $16, CX
	JG on
	DECQ R13
	JNZ sums
	VZEROUPPER
	RET

DATA lowest<>+0(SB)/4, $0xff800000
GLOBL lowest<>(SB), RODATA|NOPTR, $4

// func bestAVX2(sums *int32, scale *float32, n int, scores, tops *float32)
TEXT ·bestAVX2(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), SI
	MOVQ scale+8(FP), R9
	MOVQ n+16(FP), CX
	MOVQ scores+24(FP), DX
	MOVQ tops+32(FP), DI
	VBROADCASTSS lowest<>(SB), Y0 // the highest of each lane
	VMOVAPS Y0, Y1                // and the second
score:
	VCVTDQ2PS (SI), Y2
	VMULPS (R9), Y2, Y2
	VMOVUPS Y2, (DX)
	VMINPS Y2, Y0, Y3
	VMAXPS Y3, Y1, Y1
	VMAXPS Y2, Y0, Y0
	ADDQ $32, SI
	ADDQ $32, R9
	ADDQ $32, DX
	SUBQ $8, CX
	JG score
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VZEROUPPER
	RET
