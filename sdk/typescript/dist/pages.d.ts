/** One page of a list. */
export interface Page<T> {
    items: T[];
    /** What to send as after for the next page; undefined on the last. */
    next: string | undefined;
}
/** A list that comes by pages: await it for the first page, or go through it for all entries. */
export declare class Pages<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
    private readonly load;
    private readonly after?;
    constructor(load: (after: string | undefined) => Promise<Page<T>>, after?: string | undefined);
    then<A = Page<T>, B = never>(done?: ((page: Page<T>) => A | PromiseLike<A>) | null, failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B>;
    [Symbol.asyncIterator](): AsyncIterator<T>;
    /** All entries, at most limit. */
    all(limit?: number): Promise<T[]>;
}
