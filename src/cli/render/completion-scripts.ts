// Scripts that make shells ask `kubectl-dnet __complete` what could come next. Its answer is what kubectl expects of plugins: one
// candidate a line, a tab and its description after it, and in the last line a colon and a number: 4 for no file names.

export const SHELLS = ['bash', 'zsh', 'fish', 'kubectl'] as const;
export type Shell = (typeof SHELLS)[number];

export const completionScript = (shell: Shell): string => SCRIPTS[shell];

const bashScript = `# bash completion of kubectl-dnet: source <(kubectl-dnet completion bash)
_kubectl_dnet() {
  local answer candidate current="\${COMP_WORDS[COMP_CWORD]}"
  answer="$(kubectl-dnet __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" || return
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    case "$candidate" in
      :4) ;;
      :*) mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
      "$current"*) COMPREPLY+=("$candidate") ;;
    esac
  done <<<"$answer"
}
complete -F _kubectl_dnet kubectl-dnet
`;

const zshScript = `#compdef kubectl-dnet
# zsh completion of kubectl-dnet: source <(kubectl-dnet completion zsh)
_kubectl_dnet() {
  local -a candidates
  local line value description
  while IFS=$'\\t' read -r value description; do
    case "$value" in
      :4) ;;
      :*) _files ;;
      *) candidates+=("\${value//:/\\\\:}:\${description}") ;;
    esac
  done < <(kubectl-dnet __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'kubectl-dnet' candidates
}
(( $+functions[compdef] )) && compdef _kubectl_dnet kubectl-dnet
`;

const fishScript = `# fish completion of kubectl-dnet: kubectl-dnet completion fish | source
function __kubectl_dnet_complete
  set -l words (commandline -opc) (commandline -ct)
  kubectl-dnet __complete $words[2..-1] 2>/dev/null | string match -v -r '^:'
end
complete -c kubectl-dnet -f -a '(__kubectl_dnet_complete)'
`;

/** kubectl starts this for \`kubectl dnet …\`, when it is on the PATH as kubectl_complete-dnet. */
const kubectlScript = `#!/usr/bin/env sh
# Save as kubectl_complete-dnet on your PATH, executable: kubectl then completes "kubectl dnet".
exec kubectl-dnet __complete "$@"
`;

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  kubectl: kubectlScript,
};
