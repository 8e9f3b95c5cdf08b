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

// func depthwiseAVX2(x, w *int8, places *int, add *int32, scale *float32, pairs, channels, step, n int, out *int8)
TEXT ·depthwiseAVX2(SB), NOSPLIT, $0-80
	MOVQ x+0(FP), SI
	MOVQ pairs+40(FP), R10
	MOVQ channels+48(FP), R11
	MOVQ n+64(FP), R13
	MOVQ out+72(FP), DX
	VPXOR Y14, Y14, Y14
	VBROADCASTSS limit<>(SB), Y15
window:
	MOVQ w+8(FP), DI
	MOVQ add+24(FP), R8
	MOVQ scale+32(FP), R9
	MOVQ SI, BX
	MOVQ R11, R12
block:
	VMOVDQU (R8), Y0
	VMOVDQU 32(R8), Y1
	MOVQ places+16(FP), R15
	MOVQ R10, CX
pair:
	MOVQ (R15), AX
	VMOVDQU (BX)(AX*1), X2
	MOVQ 8(R15), AX
	VMOVDQU (BX)(AX*1), X3
	VPUNPCKLBW X3, X2, X4
	VPUNPCKHBW X3, X2, X5
	VINSERTI128 $1, X5, Y4, Y4
	VPMADDUBSW (DI), Y4, Y4
	VPMOVSXWD X4, Y7
	VEXTRACTI128 $1, Y4, X5
	VPMOVSXWD X5, Y8
	VPADDD Y7, Y0, Y0
	VPADDD Y8, Y1, Y1
	ADDQ $16, R15
	ADDQ $32, DI
	DECQ CX
	JNZ pair
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMULPS (R9), Y0, Y0
	VMULPS 32(R9), Y1, Y1
	CLAMP
	VMOVDQU X0, (DX)
	ADDQ $16, BX
	ADDQ $64, R8
	ADDQ $64, R9
	ADDQ $16, DX
	SUBQ $16, R12
	JG block
	ADDQ step+56(FP), SI
	DECQ R13
	JNZ window
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
