"""A barcode scanner as a reading shoe; which code is which card is the site's own table."""
