// What a release publishes and what keeps it from being one. Decisions alone: `release.ts` asks and acts.

export interface Candidate {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
  /** sha512-..., of the tarball. */
  readonly integrity: string;
  /** The package says where its sources are, without which npm attests no provenance. */
  readonly repository: boolean;
}

export interface Repository {
  readonly branch: string;
  /** Lines of `git status --porcelain`. */
  readonly changes: readonly string[];
  /** Names of changesets that no version holds yet. */
  readonly changesets: readonly string[];
}

export interface ReleasePlan {
  /** In the order given. */
  readonly publish: readonly Candidate[];
  /** The registry has these very bytes: a version that did not change, or a release that was interrupted. */
  readonly published: readonly Candidate[];
  /** Why there can be no release; empty where there can. */
  readonly refusals: readonly string[];
}

/**
 * @param registry integrity of what the registry holds as NAME@VERSION
 */
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
