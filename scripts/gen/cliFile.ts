/** A file made from the code, by its path in the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}
