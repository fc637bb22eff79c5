"""Names of keys that say what their text is. Imports nothing."""

# Keys of tests that reward a program (APPS, TACO, SYNTHETIC-1, KodCode, MBPP), the first of them first: golds that no
# model says.
TESTS = tuple(
    """
    test_list tests test_cases unit_tests input_output verification_info public_test_cases private_test_cases
    public_tests test
    """.split()
)
# And those under which they stand beside such a gold.
FIELDS = (*TESTS, "challenge_test_list", "generated_tests", "official_tests", "test_code")
