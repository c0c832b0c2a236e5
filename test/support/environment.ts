// Tests never see the developer's tokens, data home or git configuration.
for (const name of Object.keys(process.env)) {
  if (/^(ADK_|GIT_|GITHUB_|GH_|SLACK_|BITBUCKET_|OLLAMA_)/.test(name) && !name.startsWith("ADK_TEST_"))
    delete process.env[name];
}
delete process.env.NODE_EXTRA_CA_CERTS;
process.env.GIT_AUTHOR_NAME = "Ada";
process.env.GIT_AUTHOR_EMAIL = "ada@example.invalid";
process.env.GIT_COMMITTER_NAME = "Ada";
process.env.GIT_COMMITTER_EMAIL = "ada@example.invalid";
process.env.GIT_CONFIG_GLOBAL = "/dev/null";
process.env.GIT_CONFIG_NOSYSTEM = "1";
