// Renders the templates of a chart as Helm does, for machines that have Debian's Go and sprig but no Helm:
// render-chart CHART_DIRECTORY < context.json, where the context is {"Values", "Release", "Chart", "Objects"}; the last are those
// of the cluster by "apiVersion kind namespace name".
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

type files struct{ root string }

func (f files) Get(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(f.root, name))
	return string(content), err
}

func (f files) Glob(pattern string) (map[string][]byte, error) {
	paths, err := filepath.Glob(filepath.Join(f.root, pattern))
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, path := range paths {
		name, err := filepath.Rel(f.root, path)
		if err != nil {
			return nil, err
		}
		if found[name], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func run(root string) error {
	context := map[string]interface{}{}
	if err := json.NewDecoder(os.Stdin).Decode(&context); err != nil {
		return err
	}
	context["Files"] = files{root}
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		text := strings.Builder{}
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["lookup"] = func(version, kind, namespace, name string) map[string]interface{} {
		objects, _ := context["Objects"].(map[string]interface{})
		found, _ := objects[strings.Join([]string{version, kind, namespace, name}, " ")].(map[string]interface{})
		return found
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	all.Funcs(functions)
	paths, err := filepath.Glob(filepath.Join(root, "templates", "*"))
	if err != nil {
		return err
	}
	sort.Strings(paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := all.New(path).Parse(string(text)); err != nil {
			return err
		}
	}
	for _, path := range paths {
		if !strings.HasSuffix(path, ".yaml") {
			continue
		}
		fmt.Printf("---\n# Source: %s\n", filepath.Base(path))
		if err := all.ExecuteTemplate(os.Stdout, path, context); err != nil {
			return err
		}
		fmt.Println()
	}
	return nil
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
