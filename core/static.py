"""Static files: hashed and compressed, ES modules included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HubStaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Hashes what our modules import too. Only our own folder is rewritten: packages
    ship modules whose relative imports do not resolve."""

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )
