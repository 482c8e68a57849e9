// The agent's real composition root, with a ledger that ends the process by SIGKILL right before or right after its n-th
// transition on disk: arguments are n, the moment, and the settings as JSON.
import { agentFields } from '../../config/agent-settings.ts';
import { loadSettings } from '../../config/load-settings.ts';
import type { FileLedger } from '../../ledger/file-ledger.ts';
import { startAgent } from '../../main-agent.ts';

const [transition = '0', moment = 'before', flags = '{}'] = process.argv.slice(2);
let countdown = Number(transition);

const crashing = (act: () => Promise<void>) => async (): Promise<void> => {
  const isIt = countdown === 0;
  countdown -= 1;
  if (isIt && moment === 'before') process.kill(process.pid, 'SIGKILL');
  await act();
  if (isIt && moment === 'after') process.kill(process.pid, 'SIGKILL');
};

const wrapLedger = (ledger: FileLedger) => ({
  find: ledger.find.bind(ledger),
  findByKey: ledger.findByKey.bind(ledger),
  list: ledger.list.bind(ledger),
  save: (record: Parameters<FileLedger['save']>[0]) => crashing(() => ledger.save(record))(),
  remove: (uid: string) => crashing(() => ledger.remove(uid))(),
});

const agent = await startAgent(
  await loadSettings(agentFields, { flags: JSON.parse(flags), env: {}, file: undefined }),
  {
    wrapLedger,
  },
);

// Asked to end the moment a transition is seen on disk: the death that belongs to it must still come first.
process.once('SIGTERM', () => void agent.stop().then(() => process.exit(0)));
