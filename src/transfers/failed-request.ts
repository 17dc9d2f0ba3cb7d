import type { WireFailure, WireFailureKind } from '../contracts/wire.js';

/** A request without a proper answer. */
export class FailedRequest extends Error implements WireFailure {
  override readonly name = 'WireFailure';

  /** @param message begins with the host, and contains no secret */
  constructor(
    readonly kind: WireFailureKind,
    message: string,
  ) {
    super(message);
  }

  /** Whether the same request may succeed later. */
  get mayPass(): boolean {
    return ['late', 'broken', 'malformed', 'unreachable'].includes(this.kind);
  }
}

/** The host is not there, so that an immediate repetition is useless. */
const unreachable =
  /^(ENOTFOUND|EAI_\w+|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EACCES|EADDRNOTAVAIL)$/;
/** Codes of OpenSSL for chains of certificates, and of Node for names. */
const certificate = /CERT|^UNABLE_TO_|^ERR_TLS_CERT|^HOSTNAME_MISMATCH|^INVALID_CA|^PATH_LENGTH_EXCEEDED/;
const ownAuthority =
  'If it is a server of yours, set NODE_EXTRA_CA_CERTS to the file (PEM) with its certificate or that of its authority';

/** What an error of node:http, node:tls or node:zlib says about a server. */
export function readNodeError(error: unknown, host: string): FailedRequest {
  if (error instanceof FailedRequest) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (certificate.test(code)) {
    return new FailedRequest('certificate', `${host} has a certificate that is not trusted (${code}). ${ownAuthority}`);
  }
  if (unreachable.test(code)) return new FailedRequest('unreachable', `${host} cannot be reached (${code})`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return new FailedRequest('malformed', `${host} does not speak https (${code})`);
  }
  if (code === 'HPE_HEADER_OVERFLOW') return new FailedRequest('malformed', `${host} sent too many headers`);
  if (code.startsWith('HPE_')) return new FailedRequest('malformed', `${host} does not speak HTTP (${code})`);
  if (/^Z_|^ERR__?ERROR_FORMAT|^ERR_PADDING|^ERR_BROTLI/.test(code)) {
    return new FailedRequest('malformed', `${host} sent a body that cannot be unpacked (${code})`);
  }
  return new FailedRequest('broken', `the connection to ${host} broke (${code === '' ? message : code})`);
}
