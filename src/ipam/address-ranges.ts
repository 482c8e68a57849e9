// A set of numbers kept as ranges in a B+ tree. Its promises:
// - taking, giving back and finding the lowest cost O(log n) of the number of ranges, however wide they are;
// - ranges never touch each other: what is given back is joined with its neighbours, so the tree depends only on which
//   numbers are in the set, not on the order in which they came and went.
import sortedBtree from 'sorted-btree';

export interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

export class AddressRanges {
  /** First number of a range → its last one. */
  readonly #tree = new sortedBtree.default<bigint, bigint>(undefined, compare);
  #size = 0n;

  constructor(whole?: Range) {
    if (whole === undefined || whole.first > whole.last) return;
    this.#tree.set(whole.first, whole.last);
    this.#size = whole.last - whole.first + 1n;
  }

  get size(): bigint {
    return this.#size;
  }

  lowest(): bigint | undefined {
    return this.#tree.minKey();
  }

  has(value: bigint): boolean {
    return this.#rangeOf(value) !== undefined;
  }

  /** False when it was not there. */
  take(value: bigint): boolean {
    const range = this.#rangeOf(value);
    if (range === undefined) return false;
    this.#tree.delete(range.first);
    if (range.first < value) this.#tree.set(range.first, value - 1n);
    if (value < range.last) this.#tree.set(value + 1n, range.last);
    this.#size -= 1n;
    return true;
  }

  takeRange({ first, last }: Range): void {
    for (let range = this.#firstRangeFrom(first); range !== undefined && range.first <= last; ) {
      this.#tree.delete(range.first);
      if (range.first < first) this.#tree.set(range.first, first - 1n);
      if (last < range.last) this.#tree.set(last + 1n, range.last);
      const [from, to] = [range.first < first ? first : range.first, last < range.last ? last : range.last];
      this.#size -= to - from + 1n;
      range = this.#firstRangeFrom(to + 1n);
    }
  }

  /** False when it was there already. */
  give(value: bigint): boolean {
    if (this.has(value)) return false;
    const before = this.#rangeOf(value - 1n);
    const after = this.#rangeOf(value + 1n);
    if (after !== undefined) this.#tree.delete(after.first);
    this.#tree.set(before?.first ?? value, after?.last ?? value);
    this.#size += 1n;
    return true;
  }

  ranges(): readonly Range[] {
    return this.#tree.toArray().map(([first, last]) => ({ first, last }));
  }

  #rangeOf(value: bigint): Range | undefined {
    const pair = this.#tree.getPairOrNextLower(value);
    return pair !== undefined && value <= pair[1] ? { first: pair[0], last: pair[1] } : undefined;
  }

  #firstRangeFrom(value: bigint): Range | undefined {
    const pair = this.#tree.nextHigherPair(value);
    return this.#rangeOf(value) ?? (pair && { first: pair[0], last: pair[1] });
  }
}
