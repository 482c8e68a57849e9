// The floor of the webhook scenario: an HTTPS server that reads each question and says yes, and does nothing else.
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { makeCertificate } from '../../src/admission/make-certificate.ts';

/** What it tells whoever started it. */
export interface BareWebhook {
  readonly port: number;
  readonly authorityPem: string;
}

const { authorityPem, pair } = await makeCertificate(['localhost'], new Date());
const server = createServer(
  { cert: pair.certPem, key: pair.keyPem, keepAliveTimeout: 120_000 },
  (request, response) => {
    void text(request).then((body) => {
      const { request: asked } = JSON.parse(body);
      const answer = { uid: asked.uid, allowed: true };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: answer }));
    });
  },
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const told: BareWebhook = { port: address !== null && typeof address === 'object' ? address.port : 0, authorityPem };
  process.send?.(told);
});
process.once('disconnect', () => process.exit());
