// Decides what a release publishes and what prevents it. `release.ts` collects the facts and acts.

export interface Candidate {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
  /** Checksum of the tarball: sha512-... */
  readonly integrity: string;
  /** The package names its repository. Without it npm gives no provenance. */
  readonly repository: boolean;
}

export interface Repository {
  readonly branch: string;
  /** Lines of `git status --porcelain`. */
  readonly changes: readonly string[];
  /** Names of changesets that no version contains yet. */
  readonly changesets: readonly string[];
}

export interface ReleasePlan {
  /** Packages to publish, in the given order. */
  readonly publish: readonly Candidate[];
  /** The registry has exactly these bytes: the version did not change, or a release was interrupted. */
  readonly published: readonly Candidate[];
  /** Why there can be no release; empty if there can be one. */
  readonly refusals: readonly string[];
}

/** @param registry NAME@VERSION -> integrity in the registry */
export function planRelease(
  candidates: readonly Candidate[],
  registry: ReadonlyMap<string, string>,
  { branch, changes, changesets }: Repository,
): ReleasePlan {
  const key = ({ name, version }: Candidate) => `${name}@${version}`;
  const publish = candidates.filter((one) => !registry.has(key(one)));
  const published = candidates.filter((one) => registry.get(key(one)) === one.integrity);
  const taken = candidates.filter((one) => registry.has(key(one)) && registry.get(key(one)) !== one.integrity);
  const nowhere = publish.filter((one) => !one.repository);
  const refusals = [
    ...(branch === 'main' ? [] : [`this is the branch ${branch}: releases are made of main`]),
    ...(changes.length === 0 ? [] : [`the working tree is not clean: ${changes.join(', ')}`]),
    ...(changesets.length === 0
      ? []
      : [`no version holds ${changesets.join(', ')} yet: run \`npx changeset version\``]),
    ...taken.map((one) => `${key(one)} exists with other contents: give it a changeset`),
    ...(publish.length > 0 ? [] : ['everything is published already']),
    ...(nowhere.length === 0
      ? []
      : [`package.json has no "repository", which provenance wants: ${nowhere.map(({ name }) => name).join(', ')}`]),
  ];
  return { publish, published, refusals };
}
