#include "textflag.h"

// The products that kernel.go describes, for NEON, with its dot product and without. The assembler lacks
// most vector instructions: they stand as words, with what they are behind them. A panel is 16 outputs, a
// group 4 inputs; so a group of a panel is 64 bytes of weights: four registers.

// DOT_ARGS loads the arguments of dot. R0 weights, R1 first sums, R2 R3 R4 R5 the four inputs, R6 groups,
// R7 panels, R8 the first output, R9 the bytes from the outputs of one vector to those of the next.
#define DOT_ARGS \
	MOVD w+0(FP), R0       \
	MOVD from+8(FP), R1    \
	MOVD x+16(FP), R2      \
	MOVD stride+24(FP), R10 \
	MOVD groups+32(FP), R6 \
	MOVD panels+40(FP), R7 \
	MOVD out+48(FP), R8    \
	ADD R10, R2, R3        \
	ADD R10, R3, R4        \
	ADD R10, R4, R5        \
	LSL $6, R7, R9

// START sets the sums of a panel for the four vectors, in V0 to V15.
#define START \
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4] \
	VMOV V0.B16, V4.B16   \
	VMOV V1.B16, V5.B16   \
	VMOV V2.B16, V6.B16   \
	VMOV V3.B16, V7.B16   \
	VMOV V0.B16, V8.B16   \
	VMOV V1.B16, V9.B16   \
	VMOV V2.B16, V10.B16  \
	VMOV V3.B16, V11.B16  \
	VMOV V0.B16, V12.B16  \
	VMOV V1.B16, V13.B16  \
	VMOV V2.B16, V14.B16  \
	VMOV V3.B16, V15.B16  \
	MOVD R2, R11          \
	MOVD R3, R12          \
	MOVD R4, R13          \
	MOVD R5, R14          \
	MOVD R6, R15

// LOAD loads the weights of a group, in V16 to V19, and a group of each vector, four times, in V20 to V23.
#define LOAD \
	VLD1.P 64(R0), [V16.B16, V17.B16, V18.B16, V19.B16] \
	VLD1R.P 4(R11), [V20.S4] \
	VLD1R.P 4(R12), [V21.S4] \
	VLD1R.P 4(R13), [V22.S4] \
	VLD1R.P 4(R14), [V23.S4]

// STORE writes the sums of a panel, and moves on to the next.
#define STORE \
	ADD R9, R8, R11   \
	ADD R9, R11, R12  \
	ADD R9, R12, R13  \
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R8) \
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R11)    \
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R12)  \
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R13) \
	SUBS $1, R7

// func dotSDOT(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)
TEXT ·dotSDOT(SB), NOSPLIT, $0-56
	DOT_ARGS
panel:
	START
groups:
	LOAD
	WORD $0x4e949600 // sdot v0.4s, v16.16b, v20.16b
	WORD $0x4e949621 // sdot v1.4s, v17.16b, v20.16b
	WORD $0x4e949642 // sdot v2.4s, v18.16b, v20.16b
	WORD $0x4e949663 // sdot v3.4s, v19.16b, v20.16b
	WORD $0x4e959604 // sdot v4.4s, v16.16b, v21.16b
	WORD $0x4e959625 // sdot v5.4s, v17.16b, v21.16b
	WORD $0x4e959646 // sdot v6.4s, v18.16b, v21.16b
	WORD $0x4e959667 // sdot v7.4s, v19.16b, v21.16b
	WORD $0x4e969608 // sdot v8.4s, v16.16b, v22.16b
	WORD $0x4e969629 // sdot v9.4s, v17.16b, v22.16b
	WORD $0x4e96964a // sdot v10.4s, v18.16b, v22.16b
	WORD $0x4e96966b // sdot v11.4s, v19.16b, v22.16b
	WORD $0x4e97960c // sdot v12.4s, v16.16b, v23.16b
	WORD $0x4e97962d // sdot v13.4s, v17.16b, v23.16b
	WORD $0x4e97964e // sdot v14.4s, v18.16b, v23.16b
	WORD $0x4e97966f // sdot v15.4s, v19.16b, v23.16b
	SUBS $1, R15
	BNE groups
	STORE
	BNE panel
	RET

// func dotNEON(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)
//
// Two products of bytes fit 16 bits: pairs are added there, and pairs of these to the sums.
TEXT ·dotNEON(SB), NOSPLIT, $0-56
	DOT_ARGS
panel:
	START
groups:
	LOAD
	WORD $0x0e34c218 // smull v24.8h, v16.8b, v20.8b
	WORD $0x4e34c219 // smull2 v25.8h, v16.16b, v20.16b
	WORD $0x4e79bf18 // addp v24.8h, v24.8h, v25.8h
	WORD $0x4e606b00 // sadalp v0.4s, v24.8h
	WORD $0x0e34c23a // smull v26.8h, v17.8b, v20.8b
	WORD $0x4e34c23b // smull2 v27.8h, v17.16b, v20.16b
	WORD $0x4e7bbf5a // addp v26.8h, v26.8h, v27.8h
	WORD $0x4e606b41 // sadalp v1.4s, v26.8h
	WORD $0x0e34c258 // smull v24.8h, v18.8b, v20.8b
	WORD $0x4e34c259 // smull2 v25.8h, v18.16b, v20.16b
	WORD $0x4e79bf18 // addp v24.8h, v24.8h, v25.8h
	WORD $0x4e606b02 // sadalp v2.4s, v24.8h
	WORD $0x0e34c27a // smull v26.8h, v19.8b, v20.8b
	WORD $0x4e34c27b // smull2 v27.8h, v19.16b, v20.16b
	WORD $0x4e7bbf5a // addp v26.8h, v26.8h, v27.8h
	WORD $0x4e606b43 // sadalp v3.4s, v26.8h
	WORD $0x0e35c218 // smull v24.8h, v16.8b, v21.8b
	WORD $0x4e35c219 // smull2 v25.8h, v16.16b, v21.16b
	WORD $0x4e79bf18 // addp v24.8h, v24.8h, v25.8h
	WORD $0x4e606b04 // sadalp v4.4s, v24.8h
	WORD $0x0e35c23a // smull v26.8h, v17.8b, v21.8b
	WORD $0x4e35c23b // smull2 v27.8h, v17.16b, v21.16b
	WORD $0x4e7bbf5a // addp v26.8h, v26.8h, v27.8h
	WORD $0x4e606b45 // sadalp v5.4s, v26.8h
	WORD $0x0e35c258 // smull v24.8h, v18.8b, v21.8b
	WORD $0x4e35c259 // smull2 v25.8h, v18.16b, v21.16b
	WORD $0x4e79bf18 // addp v24.8h, v24.8h, v25.8h
	WORD $0x4e606b06 // sadalp v6.4s, v24.8h
	WORD $0x0e35c27a // smull v26.8h, v19.8b, v21.8b
	WORD $0x4e35c27b // smull2 v27.8h, v19.16b, v21.16b
	WORD $0x4e7bbf5a // addp v26.8h, v26.8h, v27.8h
	WORD $0x4e606b47 // sadalp v7.4s, v26.8h
	WORD $0x0e36c218 // smull v24.8h, v16.8b, v22.8b
	WORD $0x4e36c219 // smull2 v25.8h, v16.16b, v22.16b
	WORD $0x4e79bf18 // addp v24.8h, v24.8h, v25.8h
	WORD $0x4e606b08 // sadalp v8.4s, v24.8h
	WORD $0x0e36c23a // smull v26.8h, v17.8b, v22.8b
	WORD $0x4e36c23b // smull2 v27.8h, v17.16b, v22.16b
	WORD $0x4e7bbf5a // addp v26.8h, v26.8h, v27.8h
	WORD $0x4e606b49 // sadalp v9.4s, v26.8h
	WORD $0x0e36c258 // smull v24.8h, v18.8b, v22.8b
	WORD $0x4e36c259 // smull2 v25.8h, v18.16b, v22.16b
	WORD $0x4e79bf18 // addp v24.8h, v24.8h, v25.8h
	WORD $0x4e606b0a // sadalp v10.4s, v24.8h
	WORD $0x0e36c27a // smull v26.8h, v19.8b, v22.8b
	WORD $0x4e36c27b // smull2 v27.8h, v19.16b, v22.16b
	WORD $0x4e7bbf5a // addp v26.8h, v26.8h, v27.8h
	WORD $0x4e606b4b // sadalp v11.4s, v26.8h
	WORD $0x0e37c218 // smull v24.8h, v16.8b, v23.8b
	WORD $0x4e37c219 // smull2 v25.8h, v16.16b, v23.16b
	WORD $0x4e79bf18 // addp v24.8h, v24.8h, v25.8h
	WORD $0x4e606b0c // sadalp v12.4s, v24.8h
	WORD $0x0e37c23a // smull v26.8h, v17.8b, v23.8b
	WORD $0x4e37c23b // smull2 v27.8h, v17.16b, v23.16b
	WORD $0x4e7bbf5a // addp v26.8h, v26.8h, v27.8h
	WORD $0x4e606b4d // sadalp v13.4s, v26.8h
	WORD $0x0e37c258 // smull v24.8h, v18.8b, v23.8b
	WORD $0x4e37c259 // smull2 v25.8h, v18.16b, v23.16b
	WORD $0x4e79bf18 // addp v24.8h, v24.8h, v25.8h
	WORD $0x4e606b0e // sadalp v14.4s, v24.8h
	WORD $0x0e37c27a // smull v26.8h, v19.8b, v23.8b
	WORD $0x4e37c27b // smull2 v27.8h, v19.16b, v23.16b
	WORD $0x4e7bbf5a // addp v26.8h, v26.8h, v27.8h
	WORD $0x4e606b4f // sadalp v15.4s, v26.8h
	SUBS $1, R15
	BNE groups
	STORE
	BNE panel
	RET
