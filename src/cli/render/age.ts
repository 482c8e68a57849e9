const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'm', seconds: 60 },
] as const;

/** How long ago, as kubectl writes it: one unit for long ages, two where the second still says something. */
export const age = (timestamp: string | undefined, nowMs: number): string => {
  const at = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  if (Number.isNaN(at)) return '-';
  const seconds = Math.max(0, Math.floor((nowMs - at) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const index = UNITS.findIndex((unit) => seconds >= 2 * unit.seconds);
  const unit = UNITS[index] ?? UNITS[2];
  const whole = Math.floor(seconds / unit.seconds);
  const smaller = UNITS[index + 1] ?? { name: 's', seconds: 1 };
  const rest = Math.floor((seconds % unit.seconds) / smaller.seconds);
  return whole < 10 && rest > 0 ? `${whole}${unit.name}${rest}${smaller.name}` : `${whole}${unit.name}`;
};
