/** Characters of a message, and of what it quotes of a request. */
const LONGEST = 500;
const LONGEST_QUOTED = 100;

/** What else an error tells a client. */
export interface RequestErrorDetails {
  readonly code?: string;
  readonly param?: string | undefined;
  /** Seconds. */
  readonly retryAfter?: number;
}

/** A request that is refused, in the words of the protocol. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: RequestErrorDetails = {},
  ) {
    super(shortened(message, LONGEST));
  }

  /** The body of the answer. */
  get body() {
    const { code = null, param } = this.details;
    const type =
      this.status === 401 ? 'authentication_error' : this.status < 500 ? 'invalid_request_error' : 'server_error';
    return { error: { message: this.message, type, param: param === undefined ? null : shortened(param), code } };
  }
}

/** An error of an option that this server does not have. */
export function unsupported(param: string): RequestError {
  return new RequestError(400, `this server does not support \`${shortened(param)}\``, {
    code: 'unsupported_parameter',
    param,
  });
}

/** A text that may come from a client, to be quoted in a message. */
export function shortened(text: string, longest = LONGEST_QUOTED): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
