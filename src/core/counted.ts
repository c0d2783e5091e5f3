/** Writes a number with its noun, such as "1 ticket" or "2 tickets". */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
