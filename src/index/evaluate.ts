/** Where the wanted files stand in an answer's files, best first. */
export interface Localisation {
  readonly ranked: ReadonlyArray<string>;
  readonly wanted: ReadonlyArray<string>;
}

export interface Scores {
  readonly queries: number;
  /** Mean of 1 / rank of the first wanted file, 0 where none is found. */
  readonly mrr: number;
  /** Mean share of the wanted files among the first ten. */
  readonly recall_at_10: number;
}

const reciprocalRank = ({ ranked, wanted }: Localisation): number => {
  const at = ranked.findIndex((path) => wanted.includes(path));
  return at < 0 ? 0 : 1 / (at + 1);
};

const recallAt10 = ({ ranked, wanted }: Localisation): number => {
  const first = new Set(ranked.slice(0, 10));
  return wanted.length === 0 ? 0 : wanted.filter((path) => first.has(path)).length / wanted.length;
};

const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

export const scoresOf = (answers: ReadonlyArray<Localisation>): Scores => ({
  queries: answers.length,
  mrr: mean(answers.map(reciprocalRank)),
  recall_at_10: mean(answers.map(recallAt10)),
});

/** The files of an answer in order of their best chunk. */
export const filesOf = (hits: ReadonlyArray<{ readonly path: string }>): string[] => [
  ...new Set(hits.map(({ path }) => path)),
];
