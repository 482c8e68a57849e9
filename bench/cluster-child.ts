// The process that holds the embedded cluster while the bench measures: neither the agent's nor the floor's client's CPU
// time may be taken from the servers that answer them.
import { makeClusterService } from './cluster-service.ts';
import { serve } from './ipc.ts';

serve(await makeClusterService());
process.send?.({ id: 0, result: undefined });
