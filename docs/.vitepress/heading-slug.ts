/**
 * The anchor of a heading, the same on the site as where the repository is read: lower case, words joined by hyphens,
 * everything else left out.
 */
export function headingSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}_ -]/gu, '')
    .replaceAll(' ', '-');
}
