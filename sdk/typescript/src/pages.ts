/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** What to send as after for the next page; undefined on the last. */
  next: string | undefined;
}

/** A list that comes by pages: await it for the first page, or that behind the option after, or go through it for all entries. */
export class Pages<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  constructor(
    private readonly load: (after: string | undefined) => Promise<Page<T>>,
    private readonly after?: string | undefined,
  ) {}

  then<A = Page<T>, B = never>(
    done?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.load(this.after).then(done, failed);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (let after = this.after; ; ) {
      const page = await this.load(after);
      yield* page.items;
      if (!page.next) return;
      after = page.next;
    }
  }

  /** All entries, at most limit. */
  async all(limit = Infinity): Promise<T[]> {
    const list: T[] = [];
    for await (const item of this) {
      if (list.length >= limit) break;
      list.push(item);
    }
    return list;
  }
}
