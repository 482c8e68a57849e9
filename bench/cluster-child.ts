// The process that holds the embedded cluster while the bench measures: the floor's client must not take CPU time from the
// server that answers it, as the agent cannot. In one process 200 bare ADDs took a third longer (medians of four).
import { makeClusterService } from './cluster-service.ts';
import { serve } from './ipc.ts';

serve(await makeClusterService());
process.send?.({ id: 0, result: undefined });
