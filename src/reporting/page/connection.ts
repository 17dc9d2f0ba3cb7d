/**
 * `live`: the server answers; `lost`: it does not answer, and the page keeps retrying; `refused`: it answers but
 * rejects the token.
 */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'refused' | 'paused';

export interface ConnectionOptions {
  /** Path of the events, with the token. */
  readonly address: string;
  /** By event name; each function receives the data. */
  readonly on: { readonly [event: string]: (data: unknown) => void };
  readonly onState: (state: ConnectionState) => void;
}

const againAfter = 2000;
const hiddenFor = 5000;

/**
 * Keeps an event stream open while the page is visible. Browsers open at most six connections to one server. So a
 * hidden page closes its stream, and requests all data again when it becomes visible.
 */
export function connect({ address, on, onState }: ConnectionOptions): void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    const made = (source = new EventSource(address));
    made.addEventListener('open', () => onState('live'));
    for (const [name, take] of Object.entries(on)) {
      made.addEventListener(name, ({ data }: MessageEvent<string>) => take(JSON.parse(data)));
    }
    made.addEventListener('error', () => {
      onState('lost');
      // Browsers retry after some errors and give up after others. This code always retries.
      close();
      timer = setTimeout(() => void retry(), againAfter);
    });
  };
  const retry = async () => {
    const status = await fetch(address.replace(/^\/events/, ''), { cache: 'no-store' }).then(
      (response) => response.status,
      () => undefined,
    );
    if (status === 200) return open();
    onState(status === 403 ? 'refused' : 'lost');
    timer = setTimeout(() => void retry(), againAfter);
  };
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState === 'visible') {
      if (source === undefined) open();
    } else if (source !== undefined) {
      timer = setTimeout(() => {
        close();
        onState('paused');
      }, hiddenFor);
    }
  };
  onState('connecting');
  document.addEventListener('visibilitychange', look);
  look();
}
