/** Edits (insert, delete, replace, swap of neighbours) between two words; the optimal string alignment distance. */
export const editDistance = (a: string, b: string): number => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (rows[i - 1]?.[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
};

/**
 * The known word that was most likely meant, or undefined when none is close (more than a third of the letters differ).
 * A word that only starts like `word` counts too: `prep` means `prepare`.
 */
export const nearest = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const typed = word.toLowerCase().slice(0, 64);
  if (typed === "") return undefined;
  let found: { readonly word: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(typed, candidate.toLowerCase());
    const close = distance <= Math.max(1, Math.floor(Math.max(typed.length, candidate.length) / 3));
    if (close && (found === undefined || distance < found.distance)) found = { word: candidate, distance };
  }
  if (found !== undefined) return found.word;
  return typed.length >= 2 ? known.find((candidate) => candidate.toLowerCase().startsWith(typed)) : undefined;
};
