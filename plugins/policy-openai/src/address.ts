/** Where a server is, and what its URL said besides. */
export interface Address {
  /** Without a name, a password and a query. Undefined: the library's default. */
  readonly url: string | undefined;
  /** For messages and results: it never has a secret. */
  readonly shown: string;
  /** A name and a password in the URL. */
  readonly headers: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: string };
}

/** Where models are hosted if neither the command nor OPENAI_BASE_URL names a server. */
const HOSTED = 'the hosted models of OpenAI';

/**
 * Reads an address. Without one, OPENAI_BASE_URL is used, and without that the hosted models.
 *
 * @throws Error if it is no URL
 */
export function readAddress(text: string): Address {
  const written = text !== '' ? text : process.env['OPENAI_BASE_URL'];
  if (written === undefined || written === '') return { url: undefined, shown: HOSTED, headers: {} };
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('the address is not a URL: write it as openai:http://localhost:8000/v1');
  }
  const { password, searchParams, username } = url;
  const secret =
    username === '' && password === '' ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const query = Object.fromEntries(searchParams);
  const path = url.pathname.replace(/\/+$/, '');
  return {
    url: `${url.protocol}//${url.host}${path}`,
    shown: `${url.host}${path}`,
    headers: secret === undefined ? {} : { Authorization: `Basic ${Buffer.from(secret).toString('base64')}` },
    ...(Object.keys(query).length > 0 && { query }),
  };
}
