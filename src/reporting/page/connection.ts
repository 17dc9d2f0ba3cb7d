/**
 * `live`: the server answers; `lost`: it does not, and is asked again and again; `refused`: it answers, but to another
 * token.
 */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'refused' | 'paused';

export interface ConnectionOptions {
  /** Path of the events, with the token. */
  readonly address: string;
  /** By name of the event; each is given its data. */
  readonly on: { readonly [event: string]: (data: unknown) => void };
  readonly onState: (state: ConnectionState) => void;
}

const againAfter = 2000;
const hiddenFor = 5000;

/**
 * Keeps an event stream open while the page is in sight. Browsers open six connections to one server at most, so that a
 * page that nobody sees gives its own back, and asks for everything anew when it is looked at.
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
      // A browser goes on trying after some faults and gives up after others: it is done here, for all alike.
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
