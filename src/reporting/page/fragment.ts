// The reader's place in the page, in the fragment of its address: `#episode=...&stage=rl`. So a place has a link, and the
// back button returns to the place before. A fragment without `=` names a section, as usual.

type Changes = { readonly [name: string]: string | undefined };

const listeners = new Set<() => void>();

/** A value in the address; undefined if it has none. */
export function placed(name: string): string | undefined {
  return valuesOf(location.hash).get(name) ?? undefined;
}

/**
 * Writes values into the address; undefined removes one. `replace`: no new entry in the history, for changes that come
 * with each key.
 */
export function place(changes: Changes, { replace = false } = {}): void {
  const hash = hashWith(changes);
  if (hash === location.hash || (hash === '#' && location.hash === '')) return;
  const address = `${location.pathname}${location.search}${hash}`;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
}

/** The whole address with these values, for a link to a place. */
export function addressWith(changes: Changes): string {
  return `${location.href.replace(/#.*$/, '')}${hashWith(changes, new URLSearchParams())}`;
}

/** Calls a function after the reader went back or forth, or changed the fragment by hand. */
export function onPlace(listener: () => void): void {
  listeners.add(listener);
}

/** Listens for changes of the address; called once for a page. */
export function followAddress(): void {
  addEventListener('popstate', () => {
    for (const listener of listeners) listener();
  });
}

function hashWith(changes: Changes, values = valuesOf(location.hash)): string {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') values.delete(name);
    else values.set(name, value);
  }
  const text = [...values].map(([name, value]) => `${name}=${encoded(value)}`).join('&');
  return `#${text}`;
}

function valuesOf(hash: string): URLSearchParams {
  const text = hash.slice(1);
  return new URLSearchParams(text.includes('=') ? text : '');
}

/** Slashes and commas stay readable. */
function encoded(value: string): string {
  return encodeURIComponent(value).replaceAll('%2F', '/').replaceAll('%2C', ',').replaceAll('%20', '+');
}
