/** The limits of one request. Everything has a limit, also where a caller names none. */
export interface WireLimits {
  /** Longest time from the beginning of the request to the last byte of its answer; default: 60. */
  readonly totalSeconds?: number;
  /** Longest time without a byte of the answer; default: `totalSeconds`. */
  readonly stallSeconds?: number;
  /** Longest body of the answer in bytes, counted after it was unpacked; default: 16 MiB. */
  readonly mostBytes?: number;
  /**
   * Texts that the answer must not show, besides those that the request tells: headers and parameters of the address
   * with names like `authorization`, `x-api-key` or `token`, and a password in the address.
   */
  readonly secrets?: readonly string[];
  /**
   * What happens if the server sends the request to another address. `same-origin` (default): it is followed on the same
   * server only. `without-secrets`: a request without a body is also followed to another server, which gets no secret.
   * `refuse`: it is never followed. No request goes from https to http.
   */
  readonly redirects?: 'same-origin' | 'without-secrets' | 'refuse';
}

/**
 * Asks a server of somebody else. It has the form of the built-in `fetch`, so libraries that take a `fetch` can be given
 * this one, but it is safe with every answer:
 *
 * - The body has been read to its end when the promise resolves: the limits of time and size hold for all of it.
 * - Secrets of the request are replaced by `***` wherever the server repeats them: in the body, the headers and the
 *   status text. A secret of fewer than 8 characters, such as `none`, stays in a body of status 200 to 299, because it
 *   may be part of the data.
 * - `retry-after` is a number of seconds between 0 and 60, or absent. `retry-after-ms` and dates were read into it.
 * - It looks like no browser, which some servers refuse.
 *
 * Rejects with a `WireFailure` if there is no such answer, or with the reason of a signal that was aborted.
 */
export type HostFetch = (url: string | URL | Request, init?: RequestInit, limits?: WireLimits) => Promise<Response>;

/**
 * Why there is no answer. `unreachable`: no connection; `certificate`: nobody has signed for the server; `late`: a limit
 * of time; `broken`: the connection was cut; `too-large`: a limit of size; `malformed`: no proper HTTP; `redirect`: it was
 * sent where it must not go; `address`: the address is not http or https.
 */
export type WireFailureKind =
  | 'unreachable'
  | 'certificate'
  | 'late'
  | 'broken'
  | 'too-large'
  | 'malformed'
  | 'redirect'
  | 'address';

/** A failed request. Recognise it by its `name`. Its message begins with the host, and contains no secret. */
export interface WireFailure extends Error {
  readonly name: 'WireFailure';
  readonly kind: WireFailureKind;
}

/**
 * A value in a document of somebody else, and its place there: every method throws the error that the document was opened
 * with if the value is another one, with the path, such as `choices[0].message.content: 5, not a text`.
 */
export interface JsonPlace {
  readonly value: unknown;
  /** Whether it is missing or null. */
  readonly isAbsent: boolean;
  /** A member of an object; it may be absent. */
  member(name: string): JsonPlace;
  items(): readonly JsonPlace[];
  text(): string;
  /** A finite number between two bounds, which belong to the range. */
  number(least?: number, most?: number): number;
  /** The same, and whole. */
  integer(least?: number, most?: number): number;
  /** A list of such numbers. */
  numbers(least?: number, most?: number): number[];
  integers(least?: number, most?: number): number[];
  fail(problem: string): never;
}

/**
 * Opens a JSON document of somebody else.
 *
 * @param fail makes the error out of what is wrong, in words that go on a sentence: `no JSON`, `choices: missing`
 */
export type OpenJson = (text: string, fail: (problem: string) => Error) => JsonPlace;
