#!/bin/bash
# Real clients accept what hippo setup writes: setup in a scratch home, each client lists the
# server as connected, doctor, remove, byte for byte as before.
# Usage: clients.sh HIPPO FOLDER. FOLDER keeps the clients from npm between runs.
set -euo pipefail
hippo=$(realpath "$1")
folder=$2
mkdir -p "$folder"
folder=$(realpath "$folder")
if [ ! -d "$folder/node_modules/.bin" ]; then
  echo '{"private": true}' > "$folder/package.json"
  npm install --silent --no-fund --no-audit --prefix "$folder" \
    @anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
home=$scratch/home
mkdir -p "$home"/{.claude,.codex,.gemini,.config/opencode} "$scratch/project"
echo '{"numStartups": 1}' > "$home/.claude.json"
printf '# mine\nmodel = "x"\n' > "$home/.codex/config.toml"
printf '{\n  // mine\n  "general": {}\n}\n' > "$home/.gemini/settings.json"
cp -a "$home" "$scratch/before"
in_home() {
  (cd "$scratch/project" && timeout 120 env -i HOME="$home" PATH="$folder/node_modules/.bin:$(dirname "$(command -v node)"):/usr/bin:/bin" \
    DISABLE_TELEMETRY=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 GEMINI_CLI_TRUST_WORKSPACE=true GEMINI_API_KEY=none \
    OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 "$@" 2>&1)
}
clients=(claude-code codex gemini opencode)
in_home "$hippo" setup "${clients[@]}"
failed=0
expect() { # PATTERN COMMAND...: the output of the command must match
  local pattern=$1 out
  shift
  out=$(in_home "$@") || true
  if grep -qE "$pattern" <<< "$out"; then
    echo "ok      $*"
  else
    echo "FAILED  $*: no \"$pattern\" in:"
    echo "$out"
    failed=1
  fi
}
expect 'hippo: .*Connected' claude mcp list
expect '"enabled": true' codex mcp get hippo --json
expect 'hippo.*Connected' gemini mcp list
expect 'hippo.*connected' opencode mcp list
expect 'claude-code +server' "$hippo" doctor
plugins=$scratch/plugins
in_home "$hippo" setup --plugin "$plugins" > /dev/null
expect '[Vv]alidation passed' claude plugin validate "$plugins/claude-code/plugins/hippo"
expect '[Vv]alidation passed' claude plugin validate "$plugins/claude-code"
# The clients themselves write to their files as they run, so a home that they never saw is compared.
rm -rf "$home"
cp -a "$scratch/before" "$home"
in_home "$hippo" setup "${clients[@]}" > /dev/null
in_home "$hippo" setup --remove "${clients[@]}" > /dev/null
diff -r "$scratch/before" "$home" && echo "ok      removed byte for byte" || failed=1
exit $failed
