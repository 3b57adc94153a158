# Checks of the checkout itself: layering, documents, generated files. They need no build, so they run once, under
# the presets that developers use, and not again under each sanitizer.
if(PACTDB_SANITIZE)
  return()
endif()

pactdb_python_test(house.tidy tools/tidy.py)
pactdb_python_test(house.tidy_test tools/tidy_test.py)
pactdb_python_test(house.figures tools/figures_test.py)
pactdb_python_test(house.errors_doc tools/gen_errors_doc.py --check)
set_tests_properties(house.tidy house.tidy_test house.figures house.errors_doc PROPERTIES LABELS house)
