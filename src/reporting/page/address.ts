/** The address of another page of this server, with this page's token. */
export function addressIn(path: string, parameters: readonly (readonly [name: string, value: string])[] = []): string {
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, value]));
  const token = new URLSearchParams(location.search).get('token');
  if (token !== null) search.set('token', token);
  return `${path}?${search.toString()}`;
}
