export class Pages {
    load;
    after;
    constructor(load, after) {
        this.load = load;
        this.after = after;
    }
    then(done, failed) {
        return this.load(this.after).then(done, failed);
    }
    async *[Symbol.asyncIterator]() {
        for (let after = this.after;;) {
            const page = await this.load(after);
            yield* page.items;
            if (!page.next)
                return;
            after = page.next;
        }
    }
    async all(limit = Infinity) {
        const list = [];
        for await (const item of this) {
            if (list.length >= limit)
                break;
            list.push(item);
        }
        return list;
    }
}
