/** What stands for a secret in a shown or stored address. */
export const HIDDEN = '***';

/** An address up to the next space or quote. The scheme may follow other text, such as the folder of a path. */
const ADDRESS = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,20}):(\/{1,3})([^\s'"`<>]+)/gi;

/** `name:password@host/`, without a scheme. */
const BARE_LOGIN = /(?<!\/\/)(?<![^\s'"`(=/])[^\s'"`/:@]{1,200}:(?!\/)[^\s'"`@]{1,200}@(?=[\w.-]+[:/])/g;

/** Lines of `.npmrc`, and tokens that name their service in their first letters. */
const TOKENS =
  /(?<=_(?:authToken|auth|password)["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"']+|\b(?:npm_|gh[opsur]_|github_pat_|glpat-|hf_)[\w-]{16,}/g;

/** Everything before the host, also if a password has signs that must be escaped. `host:80/` is no login. */
const LOGIN = /^[^/:?#@]*:(?!\d{1,5}(?:[/?#]|$)).*(?<!\/)@|^[^/?#]*@/;

/**
 * Hides the secrets of all addresses in a text, for messages, logs and files: the name and the password before the
 * host, and all values after `?`, because signed links have their signature there. An address of `ssh` keeps the name,
 * which is no secret and without which nobody reaches the server.
 *
 * @param known texts that are hidden wherever they occur, from `secretsOf`
 */
export function hideSecrets(text: string, known: readonly string[] = []): string {
  const bare = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
  return bare
    .replaceAll(ADDRESS, (_, scheme: string, slashes: string, rest: string) => {
      return `${scheme}:${slashes}${withoutSecrets(rest, /(^|\+)ssh$/i.test(scheme))}`;
    })
    .replaceAll(BARE_LOGIN, `${HIDDEN}@`)
    .replaceAll(TOKENS, HIDDEN);
}

/** The secrets of one address, for `hideSecrets`: a server may repeat them without the address. */
export function secretsOf(address: string): readonly string[] {
  const [, scheme = '', , rest = ''] = [...address.matchAll(ADDRESS)][0] ?? [];
  const login = LOGIN.exec(rest)?.[0].slice(0, -1) ?? '';
  const colon = login.indexOf(':');
  const named = /(^|\+)ssh$/i.test(scheme) || colon >= 0 ? [] : [login];
  const password = colon >= 0 ? [login.slice(colon + 1)] : [];
  const query = rest.slice(login.length).split('#')[0]?.split('?').slice(1).join('?') ?? '';
  const values = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  const written = [...named, ...password, ...values.filter((value) => value.length >= 8)];
  const encoded = [login, decoded(login)]
    .filter((text) => text.includes(':'))
    .map((text) => btoa(unescape(encodeURIComponent(text))));
  return [...new Set([...written, ...written.map(decoded), ...encoded])].filter((secret) => secret.length >= 3);
}

/** Whether an address in a text has a name, a password, or a parameter that is a secret by its name. */
export function hasSecret(text: string): boolean {
  return [...text.matchAll(ADDRESS)].some(([, scheme = '', slashes, rest = '']) => {
    if (slashes !== '//') return false;
    const login = LOGIN.exec(rest)?.[0] ?? '';
    const isSecret = login !== '' && (login.includes(':') || !/(^|\+)ssh$/i.test(scheme));
    return isSecret || /[?&#][\w.-]*(auth|key|passw|secret|session|sig|token|credential)[\w.-]*=./i.test(rest);
  });
}

function withoutSecrets(rest: string, keepsName: boolean): string {
  const login = LOGIN.exec(rest)?.[0] ?? '';
  const [address = '', ...fragments] = rest.slice(login.length).split('#');
  const [path = '', ...queries] = address.split('?');
  const parts = [
    [path],
    queries.length > 0 ? ['?', hiddenValues(queries.join('?'))] : [],
    fragments.length > 0 ? ['#', hiddenFragment(fragments.join('#'))] : [],
  ];
  return hiddenLogin(login, keepsName) + parts.flat().join('');
}

/** A fragment is a branch, a tag or a range, or like a query. */
function hiddenFragment(fragment: string): string {
  return /(^|&)[\w-]*(token|key|secret|signature|password)[\w-]*=/i.test(fragment) ? hiddenValues(fragment) : fragment;
}

function hiddenLogin(login: string, keepsName: boolean): string {
  if (login === '' || !keepsName) return login && `${HIDDEN}@`;
  const [name, ...password] = login.slice(0, -1).split(':');
  return password.length === 0 ? login : `${name}:${HIDDEN}@`;
}

/** `a=1&b` as `a=***&***`. */
function hiddenValues(query: string): string {
  return query.replaceAll(/(^|&)([^&=]*=)?[^&]+/g, (_, start: string, name = '') => `${start}${name}${HIDDEN}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
