import { AmbiguousMatchError, NoMatchError } from './errors.js';
import { type Call, type Transport } from './http.js';
import type { Artifact, CallOptions, Overlay, Point, Row, Schemas, Target } from './types.js';
/** A picture of a screen: the path of a file (in Node, Bun and Deno), its bytes, or what holds them. */
export type ScreenSource = string | URL | Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array>;
type Without<T, K extends string> = Omit<T, K>;
export type FindOptions = CallOptions & Without<Schemas['OCRTextRequest'], 'image' | 'text'>;
export type LocateOptions = CallOptions & Without<Schemas['VisionLocateRequest'], 'image' | 'description'>;
/** What a text or a description means on a screen. found is the one place; otherwise there is a choice, or nothing. */
export type Resolution<T extends Row = Row> = {
    status: 'found';
    point: Point;
    match: T;
} | {
    status: 'ambiguous';
    candidates: Target[];
    message: string;
    error: AmbiguousMatchError;
} | {
    status: 'missing';
    nearest: Target[];
    message: string;
    error: NoMatchError;
};
/** Reads what a picture's source holds. */
export declare function blobOf(source: ScreenSource): Promise<Blob>;
/** Stores a file. */
export declare function upload(transport: Transport, source: ScreenSource, options?: CallOptions & {
    filename?: string;
}): Promise<Artifact>;
/** Takes what is for the call out of options; the rest is for the gateway. */
export declare function split<T extends CallOptions>(options: T): [Call, Record<string, unknown>];
/** A screen that can be asked about. Its picture is uploaded once, when the first question is asked. */
export declare class Screen {
    private readonly transport;
    private stored;
    private readonly source;
    constructor(transport: Transport, of: ScreenSource | {
        artifactId: string;
    });
    /** The id of the picture's artifact, which is uploaded for it. */
    artifactId(options?: CallOptions): Promise<string>;
    private upload;
    private ask;
    /** All rows of text, in reading order. */
    read(options?: CallOptions & Without<Schemas['OCRRunRequest'], 'image'>): Promise<Row[]>;
    /** The rows that match a text, best first. */
    find(text: string, options?: FindOptions): Promise<Row[]>;
    /** The rows that a text may mean, best first, also those below the threshold. */
    candidates(text: string, options?: FindOptions): Promise<Row[]>;
    /** The one place where a text stands, or what there is to choose from. */
    resolve(text: string, options?: FindOptions): Promise<Resolution>;
    /** The row of a candidate_id. */
    candidate(id: string, options?: CallOptions & Without<Schemas['OCRResolveCandidateRequest'], 'image' | 'candidate_id'>): Promise<Row>;
    /** The one thing that a description means, as "orange search button", or what there is to choose from. */
    locate(description: string, options?: LocateOptions): Promise<Resolution<Target>>;
    /** What a description may mean, best first. */
    locateAll(description: string, options?: CallOptions & Without<Schemas['VisionLocateAllRequest'], 'image' | 'description'>): Promise<Target[]>;
    /** What is on the screen, in words and lists. */
    describe(options?: CallOptions & Without<Schemas['VisionDescribeRequest'], 'image'>): Promise<Schemas['VisionDescribeResponse']>;
    /** Buttons, fields, icons and whatever else a person can act on. */
    elements(options?: CallOptions & Without<Schemas['ScreenElementsRequest'], 'image'>): Promise<Schemas['Element'][]>;
    /** What is at a point. */
    at(x: number, y: number, options?: CallOptions & Without<Schemas['ScreenAtRequest'], 'image' | 'x' | 'y'>): Promise<Schemas['ScreenAtResponse']>;
    /** Everything that the questions about text answer, at once. */
    inspect(options?: CallOptions & Without<Schemas['OCRInspectRequest'], 'image'>): Promise<Schemas['OCRInspectResponse']>;
    /** Draws the rows of text, those that match text, or points and regions, onto the screen. */
    overlay(options?: CallOptions & (Without<Schemas['OCROverlayRequest'], 'image'> | Without<Schemas['VisionOverlayRequest'], 'image'>)): Promise<Overlay>;
    /** What changed from this screen to another of the same size. */
    diff(after: Screen, options?: CallOptions & Without<Schemas['ScreenDiffRequest'], 'before' | 'after'>): Promise<Schemas['ScreenDiffResponse']>;
}
/** Returns the place that was found, and throws what was found wrong otherwise. */
export declare function found<T extends Row>(of: Resolution<T>): T;
export {};
