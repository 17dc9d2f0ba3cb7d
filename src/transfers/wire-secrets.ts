// The secrets of a request, in every form in which a server may repeat them.

/** Names of headers and of parameters whose values are secrets. */
const secretName = /auth|cookie|key|password|passwd|secret|session|sig|token|credential/i;
/** A shorter secret, such as `none`, may be part of the data, and is replaced in complaints only. */
const shortestInData = 8;
/** Shorter texts would make complaints unreadable, and protect nothing. */
const shortest = 4;
const sign = '***';

/** Finds and replaces the secrets of one request. */
export class WireSecrets {
  /** Longest first, because one may contain another. */
  readonly #forms: readonly string[];

  constructor(url: URL, headers: Headers, more: readonly string[] = []) {
    const plain = [...more];
    for (const [name, value] of headers) if (isSecretHeader(name)) plain.push(...credentialsOf(value));
    for (const [name, value] of url.searchParams) if (secretName.test(name)) plain.push(value);
    if (url.password !== '') plain.push(url.password, decodePart(url.password));
    const forms = new Set(plain.flatMap(formsOf).filter(({ length }) => length >= shortest));
    this.#forms = [...forms].sort((a, b) => b.length - a.length);
  }

  /** Whether a header or an address contains a secret that is not short. */
  isIn(text: string): boolean {
    const texts = [text, decodePart(text), decodePart(text.replaceAll('+', ' '))];
    return this.#forms.some((form) => form.length >= shortestInData && texts.some((one) => one.includes(form)));
  }

  /** A text without secrets. */
  hide(text: string): string {
    return this.#forms.reduce((rest, form) => rest.replaceAll(form, sign), text);
  }

  /** A body without secrets. @param isData it is no complaint, so that short secrets stay */
  hideInBody(body: Buffer, isData: boolean): Buffer {
    const forms = isData ? this.#forms.filter(({ length }) => length >= shortestInData) : this.#forms;
    if (forms.length === 0) return body;
    const plain = body.includes('\\u00') ? Buffer.from(withoutEscapes(body.toString('latin1')), 'latin1') : body;
    if (!forms.some((form) => plain.includes(form))) return body;
    // Latin-1 keeps every byte as it is, whatever the body is.
    const hidden = forms.reduce(
      (rest, form) => rest.replaceAll(Buffer.from(form).toString('latin1'), sign),
      plain.toString('latin1'),
    );
    return Buffer.from(hidden, 'latin1');
  }
}

/** Whether a header is a secret by its name. */
export function isSecretHeader(name: string): boolean {
  return secretName.test(name) && !/^(if|access-control|sec)-/i.test(name);
}

/** `Bearer KEY` is also KEY, and `Basic BASE64` also the password in it. */
function credentialsOf(value: string): string[] {
  const [, scheme = '', rest] = /^(\w+)\s+(.+)$/.exec(value) ?? [];
  if (rest === undefined) return [value, ...value.split(/;\s*/).map((part) => part.slice(part.indexOf('=') + 1))];
  if (!/^basic$/i.test(scheme)) return [rest];
  const pair = Buffer.from(rest, 'base64').toString();
  return [rest, pair, pair.slice(pair.indexOf(':') + 1)];
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  return [
    secret,
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
  ];
}

/** JSON whose characters are not written as `\u0041` unless they must be. */
function withoutEscapes(json: string): string {
  return json.replace(/\\(?:[^u]|u00([2-7][0-9a-f]))/gi, (all, code: string | undefined) =>
    code === undefined ? all : JSON.stringify(String.fromCharCode(Number.parseInt(code, 16))).slice(1, -1),
  );
}

/** The value of the header `authorization` for a name and a password. */
export function basicAuthorization(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/** A part of an address. What is not encoded properly is taken as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
