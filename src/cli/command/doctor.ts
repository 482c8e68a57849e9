// kubectl dnet doctor: what is wrong with the installation, and what to do about it.
import { wrap } from '../../model/wrap-text.ts';
import type { AddCommand } from '../command-host.ts';
import { gatherDoctorFacts } from '../gather/doctor-facts.ts';
import { diagnose, type Finding } from '../logic/diagnose.ts';
import { printAnswer } from '../render/answer.ts';
import type { Style } from '../render/style.ts';
import { PAGE_WIDTH } from '../render/table.ts';

export const addDoctor: AddCommand = ({ program, run, version }) => {
  const command = program
    .command('doctor')
    .summary('what is wrong with the installation, and what to do about it')
    .description(
      'Checks the API server, Multus, the CRI sockets, agents, controller, versions, rights, the webhook certificate, the ledgers and leaked addresses. Exits with 1 when something fails.',
    );
  run(command, async (session) => {
    const findings = diagnose(await gatherDoctorFacts(session, version), session.now());
    printAnswer(session, {
      kind: 'Diagnosis',
      content: { items: findings },
      table: () => findings.flatMap((finding) => renderFinding(finding, session.terminal.style)).join('\n'),
    });
    return findings.some(({ level }) => level === 'failure') ? 1 : 0;
  });
};

const WORDS: Readonly<Record<Finding['level'], string>> = { ok: 'ok', warning: 'warn', failure: 'FAIL', unknown: '?' };
const INDENT = ' '.repeat(6);

const renderFinding = ({ level, check, message, remedy }: Finding, style: Style): string[] => {
  const looks = { ok: style.good, warning: style.notice, failure: style.bad, unknown: style.dim };
  const [first = '', ...rest] = wrap(`${check}: ${message}`, PAGE_WIDTH - INDENT.length);
  return [
    `${looks[level](WORDS[level].padEnd(4))}  ${first}`,
    ...rest.map((line) => `${INDENT}${line}`),
    ...(remedy === undefined
      ? []
      : wrap(`-> ${remedy}`, PAGE_WIDTH - INDENT.length).map((line) => `${INDENT}${style.dim(line)}`)),
  ];
};
