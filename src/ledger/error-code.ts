/** Whether a call of the operating system failed with this code, `ENOENT` for instance. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
