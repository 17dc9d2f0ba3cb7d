/** A request that is refused, in the words of the protocol. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: { readonly code?: string; readonly param?: string; readonly retryAfter?: number } = {},
  ) {
    super(message);
  }

  /** The body of the answer. */
  get body() {
    const { code = null, param = null } = this.details;
    const type =
      this.status === 401 ? 'authentication_error' : this.status < 500 ? 'invalid_request_error' : 'server_error';
    return { error: { message: this.message, type, param, code } };
  }
}

/** An error of an option that this server does not have. */
export function unsupported(param: string): RequestError {
  return new RequestError(400, `this server does not support \`${param}\``, { code: 'unsupported_parameter', param });
}
