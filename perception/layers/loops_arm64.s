#include "textflag.h"

// The inner loops that loops.go describes, for NEON, 16 channels at a time. The assembler lacks most vector
// instructions: they stand as words, with what they are behind them.

// CONSTANTS sets V30 to zeros and V31 to the limit of an activation, 127.
#define CONSTANTS \
	VEOR V30.B16, V30.B16, V30.B16 \
	MOVW $0x42fe0000, R15          \
	VDUP R15, V31.S4

// SCALED makes numbers of the sums in V0 to V3, and multiplies them by V4 to V7.
#define SCALED \
	WORD $0x4e21d800 /* scvtf v0.4s, v0.4s */ \
	WORD $0x6e24dc00 /* fmul v0.4s, v0.4s, v4.4s */ \
	WORD $0x4e21d821 /* scvtf v1.4s, v1.4s */ \
	WORD $0x6e25dc21 /* fmul v1.4s, v1.4s, v5.4s */ \
	WORD $0x4e21d842 /* scvtf v2.4s, v2.4s */ \
	WORD $0x6e26dc42 /* fmul v2.4s, v2.4s, v6.4s */ \
	WORD $0x4e21d863 /* scvtf v3.4s, v3.4s */ \
	WORD $0x6e27dc63 /* fmul v3.4s, v3.4s, v7.4s */

// CLAMP rounds the numbers in V0 to V3 to activations: 16 bytes in V0.
#define CLAMP \
	WORD $0x4e3ef400 /* fmax v0.4s, v0.4s, v30.4s */ \
	WORD $0x4ebff400 /* fmin v0.4s, v0.4s, v31.4s */ \
	WORD $0x4e21a800 /* fcvtns v0.4s, v0.4s */ \
	WORD $0x4e3ef421 /* fmax v1.4s, v1.4s, v30.4s */ \
	WORD $0x4ebff421 /* fmin v1.4s, v1.4s, v31.4s */ \
	WORD $0x4e21a821 /* fcvtns v1.4s, v1.4s */ \
	WORD $0x4e3ef442 /* fmax v2.4s, v2.4s, v30.4s */ \
	WORD $0x4ebff442 /* fmin v2.4s, v2.4s, v31.4s */ \
	WORD $0x4e21a842 /* fcvtns v2.4s, v2.4s */ \
	WORD $0x4e3ef463 /* fmax v3.4s, v3.4s, v30.4s */ \
	WORD $0x4ebff463 /* fmin v3.4s, v3.4s, v31.4s */ \
	WORD $0x4e21a863 /* fcvtns v3.4s, v3.4s */ \
	WORD $0x0e614800 /* sqxtn v0.4h, v0.4s */ \
	WORD $0x4e614820 /* sqxtn2 v0.8h, v1.4s */ \
	WORD $0x0e614842 /* sqxtn v2.4h, v2.4s */ \
	WORD $0x4e614862 /* sqxtn2 v2.8h, v3.4s */ \
	WORD $0x0e214800 /* sqxtn v0.8b, v0.8h */ \
	WORD $0x4e214840 /* sqxtn2 v0.16b, v2.8h */

// TAP loads a place of a window.
#define TAP(V) \
	MOVD.P 8(R13), R8 \
	ADD R12, R8       \
	VLD1 (R8), [V.B16]

// func depthwiseNEON(x, w *int8, places *int, add *int32, scale *float32, groups, channels, step, n int, out *int8)
TEXT ·depthwiseNEON(SB), NOSPLIT, $0-80
	MOVD x+0(FP), R0
	MOVD groups+40(FP), R4
	MOVD channels+48(FP), R5
	MOVD step+56(FP), R10
	MOVD n+64(FP), R11
	MOVD out+72(FP), R6
	CONSTANTS
window:
	MOVD w+8(FP), R1
	MOVD add+24(FP), R2
	MOVD scale+32(FP), R3
	MOVD R0, R12
	MOVD R5, R7
block:
	VLD1.P 64(R2), [V0.S4, V1.S4, V2.S4, V3.S4]
	MOVD places+16(FP), R13
	MOVD R4, R9
taps:
	VLD4.P 64(R1), [V18.B16, V19.B16, V20.B16, V21.B16]
	TAP(V16)
	TAP(V17)
	TAP(V24)
	TAP(V25)
	WORD $0x0e32c216 // smull v22.8h, v16.8b, v18.8b
	WORD $0x0e338236 // smlal v22.8h, v17.8b, v19.8b
	WORD $0x4e32c217 // smull2 v23.8h, v16.16b, v18.16b
	WORD $0x4e338237 // smlal2 v23.8h, v17.16b, v19.16b
	WORD $0x0e34c31a // smull v26.8h, v24.8b, v20.8b
	WORD $0x0e35833a // smlal v26.8h, v25.8b, v21.8b
	WORD $0x4e34c31b // smull2 v27.8h, v24.16b, v20.16b
	WORD $0x4e35833b // smlal2 v27.8h, v25.16b, v21.16b
	WORD $0x0e761000 // saddw v0.4s, v0.4s, v22.4h
	WORD $0x4e761021 // saddw2 v1.4s, v1.4s, v22.8h
	WORD $0x0e771042 // saddw v2.4s, v2.4s, v23.4h
	WORD $0x4e771063 // saddw2 v3.4s, v3.4s, v23.8h
	WORD $0x0e7a1000 // saddw v0.4s, v0.4s, v26.4h
	WORD $0x4e7a1021 // saddw2 v1.4s, v1.4s, v26.8h
	WORD $0x0e7b1042 // saddw v2.4s, v2.4s, v27.4h
	WORD $0x4e7b1063 // saddw2 v3.4s, v3.4s, v27.8h
	SUBS $1, R9
	BNE taps
	VLD1.P 64(R3), [V4.S4, V5.S4, V6.S4, V7.S4]
	SCALED
	CLAMP
	VST1.P [V0.B16], 16(R6)
	ADD $16, R12
	SUBS $16, R7
	BGT block
	ADD R10, R0
	SUBS $1, R11
	BNE window
	RET

// func activateNEON(sums *int32, scale *float32, channels, n int, out *int8)
TEXT ·activateNEON(SB), NOSPLIT, $0-40
	MOVD sums+0(FP), R0
	MOVD n+24(FP), R11
	MOVD out+32(FP), R6
	CONSTANTS
sums:
	MOVD scale+8(FP), R3
	MOVD channels+16(FP), R5
next:
	VLD1.P 64(R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R3), [V4.S4, V5.S4, V6.S4, V7.S4]
	SCALED
	CLAMP
	VST1.P [V0.B16], 16(R6)
	SUBS $16, R5
	BGT next
	SUBS $1, R11
	BNE sums
	RET

// func activateOnNEON(sums *int32, scale *float32, input *int8, keep float32, channels, n int, out *int8)
TEXT ·activateOnNEON(SB), NOSPLIT, $0-56
	MOVD sums+0(FP), R0
	MOVD input+16(FP), R1
	MOVW keep+24(FP), R14
	MOVD n+40(FP), R11
	MOVD out+48(FP), R6
	CONSTANTS
	VDUP R14, V29.S4
sums:
	MOVD scale+8(FP), R3
	MOVD channels+32(FP), R5
on:
	VLD1.P 64(R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R3), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 16(R1), [V16.B16]
	SCALED
	WORD $0x0f08a611 // sshll v17.8h, v16.8b, #0
	WORD $0x4f08a612 // sshll2 v18.8h, v16.16b, #0
	WORD $0x0f10a634 // sshll v20.4s, v17.4h, #0
	WORD $0x4f10a635 // sshll2 v21.4s, v17.8h, #0
	WORD $0x0f10a656 // sshll v22.4s, v18.4h, #0
	WORD $0x4f10a657 // sshll2 v23.4s, v18.8h, #0
	WORD $0x4e21da94 // scvtf v20.4s, v20.4s
	WORD $0x4e21dab5 // scvtf v21.4s, v21.4s
	WORD $0x4e21dad6 // scvtf v22.4s, v22.4s
	WORD $0x4e21daf7 // scvtf v23.4s, v23.4s
	WORD $0x6e3dde94 // fmul v20.4s, v20.4s, v29.4s
	WORD $0x6e3ddeb5 // fmul v21.4s, v21.4s, v29.4s
	WORD $0x6e3dded6 // fmul v22.4s, v22.4s, v29.4s
	WORD $0x6e3ddef7 // fmul v23.4s, v23.4s, v29.4s
	WORD $0x4e34d400 // fadd v0.4s, v0.4s, v20.4s
	WORD $0x4e35d421 // fadd v1.4s, v1.4s, v21.4s
	WORD $0x4e36d442 // fadd v2.4s, v2.4s, v22.4s
	WORD $0x4e37d463 // fadd v3.4s, v3.4s, v23.4s
	CLAMP
	VST1.P [V0.B16], 16(R6)
	SUBS $16, R5
	BGT on
	SUBS $1, R11
	BNE sums
	RET
