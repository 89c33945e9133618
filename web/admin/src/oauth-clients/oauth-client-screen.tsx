import { Alert, Badge, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconInfoCircle, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { DetailPage } from '../resource/detail-page.tsx';
import { FactList, Facts, IdentityPanel } from '../../../kit/display/facts.tsx';
import { ScopeList } from './scope-list.tsx';
import { Absent } from '../../../kit/display/field-value.tsx';
import { explain, wordOf } from '../../../kit/format/label.ts';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { Copyable } from '../../../kit/display/copyable.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import { SecretDialog } from '../../../kit/dialog/secret-dialog.tsx';
import type { Noun } from '../../../kit/noun/noun.ts';
import { nouns } from '../nouns/nouns.ts';
import { client, refreshEverything } from '../../../kit/api/client.ts';
import { useMay } from '../../../kit/noun/app.tsx';
import type { ScreenProps } from '../resource/screen-props.ts';
import type { OauthClientRow } from '../nouns/rows.ts';

/** The built-in clients are read-only. */
function selectNoun(isProxy: boolean): Noun {
  const { update, remove, ...rest } = nouns.oauthClients;
  return isProxy || update === undefined || remove === undefined ? rest : nouns.oauthClients;
}

export function OauthClientScreen({ row }: ScreenProps<OauthClientRow>) {
  const may = useMay();
  const [isConfirming, setConfirming] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const isProxy = row.proxy;
  const isConfidential = row.confidential;
  const noun = selectNoun(isProxy);
  const redirects = row.redirect_uris as readonly string[];
  const grants = row.grants as readonly string[];

  async function rotate(): Promise<void> {
    const { data } = await client.rotateOauthClientSecret({ params: { client_id: row.id } });
    await refreshEverything();
    setSecret(data.secret);
  }

  return (
    <>
      <DetailPage
        noun={noun}
        row={row}
        badges={
          <Badge variant="light" color={isConfidential ? 'pine' : 'gray'} tt="none" fw={560}>
            {isConfidential ? 'Confidential' : 'Public'}
          </Badge>
        }
        sections={[
          {
            key: 'overview',
            title: 'Overview',
            content: (
              <Stack gap="lg">
                {isProxy && (
                  <Alert color="gray" variant="light" icon={<IconInfoCircle size={18} />}>
                    This built-in client signs people in to this platform. It can’t be changed.
                  </Alert>
                )}
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
                  <Stack gap="lg">
                    <Panel title="Program">
                      <Facts noun={noun} row={row} names={['population', 'confidential', 'first_party']} />
                    </Panel>
                    <Panel title="How it gets tokens">
                      <FactList
                        facts={[
                          ...grants.map(
                            (grant) =>
                              [
                                wordOf(grant),
                                <Text key={grant} c="dimmed" fz="sm">
                                  {explain(grant)}
                                </Text>,
                              ] as const,
                          ),
                          [
                            'Redirect addresses',
                            redirects.length === 0 ? (
                              <Absent key="none" />
                            ) : (
                              <Stack key="redirects" gap={4}>
                                {redirects.map((address) => (
                                  <Copyable key={address} value={address} label="address" />
                                ))}
                              </Stack>
                            ),
                          ],
                        ]}
                      />
                    </Panel>
                    <Panel title="Scopes of its tokens">
                      <ScopeList scopes={row.scopes} />
                    </Panel>
                  </Stack>
                  <Stack gap="lg">
                    {isConfidential && !isProxy && (
                      <Panel
                        title="Secret"
                        aside={
                          may('rotateOauthClientSecret') && (
                            <Button
                              size="xs"
                              variant="light"
                              leftSection={<IconRefresh size={15} />}
                              onClick={() => setConfirming(true)}
                            >
                              New secret
                            </Button>
                          )
                        }
                      >
                        <Text c="dimmed">
                          The secret was shown once and is stored as a hash. A new secret replaces it immediately;
                          existing tokens stay valid.
                        </Text>
                      </Panel>
                    )}
                    <IdentityPanel noun={noun} row={row} />
                  </Stack>
                </SimpleGrid>
              </Stack>
            ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Create a new secret for “${noun.titleOf(row)}”?`}
        confirmLabel="Create new secret"
        onConfirm={rotate}
      >
        The old secret stops working immediately. The program gets no tokens until it uses the new one.
      </ConfirmDialog>
      {secret !== null && (
        <SecretDialog title="The new secret" label="Secret" value={secret} onClose={() => setSecret(null)} />
      )}
    </>
  );
}
