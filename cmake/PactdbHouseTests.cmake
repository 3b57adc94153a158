# Checks of the checkout itself: layering, documents, generated files, which case holds which requirement.
# They run no program of the build, so they run once, under the presets that developers use, not under each sanitizer.
if(PACTDB_SANITIZE)
  return()
endif()

pactdb_python_test(house.tidy tools/tidy.py)
pactdb_python_test(house.TREE_11_words tools/tidy.py --only head_words)
pactdb_python_test(house.tidy_test tools/tidy_test.py)
pactdb_python_test(house.figures tools/figures_test.py)
pactdb_python_test(house.errors_doc tools/gen_errors_doc.py --check)
pactdb_python_test(house.requirements tools/requirements.py --summary --build "${PROJECT_BINARY_DIR}")
pactdb_python_test(house.requirements_test tools/requirements_test.py)
set_tests_properties(house.tidy house.TREE_11_words house.tidy_test house.figures house.errors_doc
  house.requirements house.requirements_test PROPERTIES LABELS house)
