/** What a secret looks like when its value is not known (spec 2, "Redaction"). Each pattern is linear. */
export const redactPatterns = {
  /** `Authorization: Bearer x`, as a header, a git option, a JSON member; the scheme stays readable. */
  authorization:
    /((?:authorization|private-token|x-api-key)(?:\\?["'])?[ \t]{0,8}[:=][ \t]{0,8}(?:\\?["'])?(?:(?:basic|bearer|token|digest)[ \t]{1,8})?)[^\s"',;\\]+/gi,
  bearer: /(\bbearer[ \t]{1,8})[A-Za-z0-9._~+/=-]{8,}/gi,
  githubToken: /gh[opsur]_[A-Za-z0-9]{4,}|github_pat_[A-Za-z0-9_]{4,}/g,
  slackToken: /x(?:ox[a-z]|app)-[A-Za-z0-9-]{4,}/g,
  slackHook: /(hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/_-]+/g,
  /** `user:pass@` of any URL, and a bare user of http(s), where it usually is a token. */
  urlUserInfo: /(\bhttps?:\/\/)[^\s/?#"'<>]*@/gi,
  otherUserInfo: /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>@:]*:[^\s/?#"'<>]*@/gi,
  /** Secrets in a URL's query. */
  querySecret:
    /([?&](?:access_token|refresh_token|auth_token|private_token|token|api_?key|client_secret|secret|password|sig|signature)=)[^\s&#"'<>]+/gi,
  /** `SOME_TOKEN=value` as a shell or a dump of an environment writes it; lower-case names stay readable. */
  assignment:
    /(\b[A-Z][A-Z0-9_]{0,60}_(?:TOKEN|KEY|SECRET|CREDS?|PASSWORD|PAT)(?:\\?["'])?[ ]?[:=][ ]?(?:\\?["'])?)[^\s"',;&\\]+/g,
} as const;

/** Names of variables whose value is a secret; the underscore counts, so that `monkey=banana` stays readable. */
export const secretName = /(?:^|_)(?:TOKEN|KEY|SECRET|CREDS?|PASSWORD|PAT)$/i;

/** Flags whose value is a secret: `--slack-token V`, `--token=V`. */
export const secretFlag = /^--?(?:[a-z0-9-]{0,60}[-_])?(?:token|key|secret|creds?|password|pat)$/i;
