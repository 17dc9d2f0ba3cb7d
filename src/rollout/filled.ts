/** A list with one member or more. */
export type Filled<T> = readonly [T, ...T[]];

export function isFilled<T>(list: readonly T[]): list is Filled<T> {
  return list.length > 0;
}

/** Like `map`, of a list that has a first member, and so has the result. */
export function mapFilled<T, R>([first, ...others]: Filled<T>, map: (one: T, place: number) => R): Filled<R> {
  return [map(first, 0), ...others.map((one, place) => map(one, place + 1))];
}
